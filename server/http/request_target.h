// The request target of HTTP ("/v1/jobs/7?limit=5") taken apart and decoded. Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "server/http/message.h"

namespace hone {

struct RequestTarget {
  std::vector<std::string> segments;  // of the path, decoded; "/" has none
  std::vector<NamedValue> query;      // decoded, in order
};

// Only the origin form is taken. invalid_argument for anything that could mean two things to two
// readers: bad escapes, "." and ".." segments however they are spelled, empty segments, an encoded
// '/' or '\\' or control character, what is not UTF-8 once decoded, a query name that stands twice;
// and for more than 64 query parameters.
Result<RequestTarget> parse_request_target(std::string_view text);

}  // namespace hone
