// Requests that may be sent twice and count once.
#pragma once

#include <string>

namespace hone {

// A key is remembered for a day, per token and operation. The same key with the same body gives the
// first answer again; with another body it is a conflict.
struct IdempotencyKey {
  std::string key;          // as the client chose it, 1..255 bytes
  std::string body_sha256;  // of the request's body
};

}  // namespace hone
