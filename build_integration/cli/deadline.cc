#include "build_integration/cli/deadline.h"

#include <charconv>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "build_integration/cli/budget.h"
#include "common/policy/timestamp.h"
#include "common/protocol/fields.h"

namespace hone {

Result<std::chrono::seconds> parse_deadline(std::string_view text, std::int64_t now) {
  const auto bad = [&](std::string_view why) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format(
            "deadline \"{}\" {}: give a duration such as 20m, 1h30m or 90 (seconds), or a time "
            "such as 2026-11-30T07:00:00Z, at most 365 days ahead",
            text, why));
  };
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && after == end) {
    // Seconds already.
  } else if (const Result<std::chrono::seconds> duration = parse_duration(text)) {
    seconds = duration->count();
  } else if (const std::optional<std::int64_t> moment = parse_timestamp(text)) {
    seconds = *moment - now;
  } else {
    return bad("is not understood");
  }
  if (seconds < 1) {
    return bad("is over");
  }
  if (seconds > kLongestDeadline) {
    return bad("is too far away");
  }
  return std::chrono::seconds(seconds);
}

}  // namespace hone
