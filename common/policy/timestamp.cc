#include "common/policy/timestamp.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace hone {
namespace {

constexpr std::int64_t kDay = 86400;

// Takes `digits` decimal digits off the front; nothing if there are fewer.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) {
    return std::nullopt;
  }
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') {
      return std::nullopt;
    }
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

// "Z" or "+hh:mm" as seconds to subtract.
std::optional<std::int64_t> take_offset(std::string_view& text) {
  if (take(text, 'Z') || take(text, 'z')) {
    return 0;
  }
  const bool negative = !text.empty() && text.front() == '-';
  if (!negative && (text.empty() || text.front() != '+')) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  const auto hours = take_number(text, 2);
  if (!hours || *hours > 23 || !take(text, ':')) {
    return std::nullopt;
  }
  const auto minutes = take_number(text, 2);
  if (!minutes || *minutes > 59) {
    return std::nullopt;
  }
  const std::int64_t offset = std::int64_t{*hours} * 3600 + std::int64_t{*minutes} * 60;
  return negative ? -offset : offset;
}

}  // namespace

std::string format_timestamp(std::int64_t seconds) {
  using namespace std::chrono;
  const std::int64_t day = seconds >= 0 ? seconds / kDay : (seconds - kDay + 1) / kDay;
  const std::int64_t rest = seconds - day * kDay;
  const year_month_day date{sys_days{days{day}}};
  std::array<char, 40> text{};
  const int size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ",
                                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                 static_cast<unsigned>(date.day()), static_cast<int>(rest / 3600),
                                 static_cast<int>(rest / 60 % 60), static_cast<int>(rest % 60));
  return {text.data(), static_cast<std::size_t>(size)};
}

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  using namespace std::chrono;
  const auto year_number = take_number(text, 4);
  if (!year_number || !take(text, '-')) {
    return std::nullopt;
  }
  const auto month_number = take_number(text, 2);
  if (!month_number || !take(text, '-')) {
    return std::nullopt;
  }
  const auto day_number = take_number(text, 2);
  if (!day_number || !(take(text, 'T') || take(text, 't'))) {
    return std::nullopt;
  }
  const auto hours = take_number(text, 2);
  if (!hours || *hours > 23 || !take(text, ':')) {
    return std::nullopt;
  }
  const auto minutes = take_number(text, 2);
  if (!minutes || *minutes > 59 || !take(text, ':')) {
    return std::nullopt;
  }
  const auto seconds = take_number(text, 2);
  if (!seconds || *seconds > 60) {
    return std::nullopt;
  }
  if (take(text, '.')) {
    if (!take_number(text, 1)) {
      return std::nullopt;
    }
    while (take_number(text, 1)) {
    }
  }
  const auto offset = take_offset(text);
  const year_month_day date{year{*year_number}, month{static_cast<unsigned>(*month_number)},
                            day{static_cast<unsigned>(*day_number)}};
  if (!offset || !text.empty() || !date.ok()) {
    return std::nullopt;
  }
  const std::int64_t days_since = sys_days{date}.time_since_epoch().count();
  return days_since * kDay + *hours * 3600 + *minutes * 60 + *seconds - *offset;
}

}  // namespace hone
