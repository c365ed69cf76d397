// How much a campaign may spend, as written on the command line: "20" candidates or "20m" of time.
// Thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

// Exactly one of the two is set.
struct Budget {
  std::optional<std::int64_t> candidates;  // 1..10000
  std::optional<std::int64_t> seconds;     // 10..604800, a week
  bool operator==(const Budget&) const = default;
};

// A whole number of candidates, or a duration with a unit: "90s", "20m", "2h", "1h30m".
// invalid_argument says what is accepted.
Result<Budget> parse_budget(std::string_view text);

// "90s", "20m", "1h30m": units from large to small, each once. invalid_argument for anything else.
Result<std::chrono::seconds> parse_duration(std::string_view text);

// "0:48", "12:05", "1:02:03".
std::string clock_text(std::chrono::seconds time);

}  // namespace hone
