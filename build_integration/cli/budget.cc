#include "build_integration/cli/budget.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace hone {
namespace {

constexpr std::int64_t kMaxCandidateBudget = 10000;
constexpr std::int64_t kMinSeconds = 10;
constexpr std::int64_t kMaxSeconds = 604800;

struct Unit {
  char letter;
  std::int64_t seconds;
};
constexpr Unit kUnits[] = {{'h', 3600}, {'m', 60}, {'s', 1}};

Error bad_budget(std::string_view text, std::string_view why) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("budget \"{}\" {}: give a number of candidates (1 to {}) or a time such "
                          "as 90s, 20m or 1h30m (10 s to 7 days)",
                          text, why, kMaxCandidateBudget));
}

}  // namespace

Result<std::chrono::seconds> parse_duration(std::string_view text) {
  const auto bad = [&] {
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is no time such as 90s, 20m or 1h30m", text));
  };
  std::int64_t total = 0;
  std::size_t next_unit = 0;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  if (at == end) {
    return bad();
  }
  while (at != end) {
    std::int64_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0 || number > kMaxSeconds || after == end) {
      return bad();
    }
    while (next_unit < std::size(kUnits) && kUnits[next_unit].letter != *after) {
      ++next_unit;
    }
    if (next_unit == std::size(kUnits)) {
      return bad();
    }
    total += number * kUnits[next_unit].seconds;
    ++next_unit;
    at = after + 1;
  }
  return std::chrono::seconds(total);
}

Result<Budget> parse_budget(std::string_view text) {
  Budget budget;
  std::int64_t number = 0;
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && after == text.data() + text.size()) {
    if (number < 1 || number > kMaxCandidateBudget) {
      return bad_budget(text, "is out of range");
    }
    budget.candidates = number;
    return budget;
  }
  const Result<std::chrono::seconds> time = parse_duration(text);
  if (!time) {
    return bad_budget(text, "is not understood");
  }
  if (time->count() < kMinSeconds || time->count() > kMaxSeconds) {
    return bad_budget(text, "is out of range");
  }
  budget.seconds = time->count();
  return budget;
}

std::string clock_text(std::chrono::seconds time) {
  const std::int64_t total = time.count() < 0 ? 0 : time.count();
  const std::int64_t hours = total / 3600;
  const std::int64_t minutes = total / 60 % 60;
  const std::int64_t seconds = total % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, seconds)
                   : fmt::format("{}:{:02}", minutes, seconds);
}

}  // namespace hone
