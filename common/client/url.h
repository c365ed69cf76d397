// The base URL of a server. Plain value.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

struct Url {
  std::string host;               // without brackets
  std::string port;               // decimal
  std::string prefix;             // path without a '/' at its end, "" for none
  bool secure = false;            // https
  std::string authority() const;  // as a Host header wants it: "[::1]:7077"
};

// http://host[:port][/prefix], where the port is 7077 when left out, or https://, where it is 443.
// invalid_argument for everything else: user names, queries and fragments included.
Result<Url> parse_url(std::string_view text);

}  // namespace hone
