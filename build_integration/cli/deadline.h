// When something has to be done by, as written on the command line. Thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace hone {

// Whole seconds from `now` (since 1970) until then: of a duration ("90s", "20m", "1h30m", or a bare
// number of seconds) or of an RFC 3339 time ("2026-11-30T07:00:00Z"). invalid_argument names the
// text and says what is accepted; it must lie 1 s to 365 days ahead.
Result<std::chrono::seconds> parse_deadline(std::string_view text, std::int64_t now);

}  // namespace hone
