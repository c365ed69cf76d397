#include "staging/runner/metric_pattern.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hone {
namespace {

constexpr std::size_t kMaxLine = 4096;

std::optional<double> finite_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

Result<MetricPattern> MetricPattern::create(const std::string& pattern) {
  // std::regex reports by exception only.
  try {
    std::regex compiled(pattern, std::regex::ECMAScript);
    if (compiled.mark_count() < 1) {
      return fail(ErrorCode::invalid_argument,
                  "the metric's pattern '" + pattern + "' has no group (...) around the number");
    }
    return MetricPattern(std::move(compiled));
  } catch (const std::regex_error& error) {
    return fail(ErrorCode::invalid_argument,
                "the metric's pattern '" + pattern + "' is no regular expression: " + error.what());
  }
}

std::optional<PrintedMetric> MetricPattern::find(std::string_view text) const {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, std::min(end - start, kMaxLine));
    std::cmatch match;
    if (std::regex_search(line.data(), line.data() + line.size(), match, pattern_) &&
        match[1].matched) {
      const std::string_view number(match[1].first, static_cast<std::size_t>(match[1].length()));
      const std::optional<double> value = finite_number(number);
      if (!value) {
        return std::nullopt;
      }
      const auto at = static_cast<std::size_t>(match[1].first - text.data());
      std::string rest(text.substr(0, at));
      rest += text.substr(at + number.size());
      return PrintedMetric{*value, std::move(rest)};
    }
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace hone
