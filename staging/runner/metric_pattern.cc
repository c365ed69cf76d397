#include "staging/runner/metric_pattern.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

#include "staging/runner/deep_stack.h"
#include "staging/runner/watched_characters.h"

namespace hone {
namespace {

constexpr std::size_t kMaxLine = 4096;
// A pattern such as ".*x" looks at the rest of the line from each byte of it, two steps each time:
// that much is allowed, but for an output of many megabytes no more than takes about a minute.
constexpr std::uint64_t kStepsPerByte = std::uint64_t{2} * kMaxLine;
constexpr std::uint64_t kStepsAtLeast = 2'000'000;
constexpr std::uint64_t kStepsAtMost = 4'000'000'000;
// What the steps of a pattern with many parts that match nothing may take.
constexpr std::chrono::seconds kMaxTime{120};
// A line of letters under (a|b)* goes down some 1 KiB for each of them. What is spared is for the
// calls between two looks at the depth.
constexpr std::size_t kMaxDepth = std::size_t{64} << 20U;
constexpr std::size_t kSparedStack = std::size_t{64} << 20U;

std::uint64_t allowed_steps(std::size_t bytes) {
  return std::min(kStepsAtLeast + kStepsPerByte * bytes, kStepsAtMost);
}

Error exceeded(MatchLimits::Exceeded what, std::size_t bytes) {
  switch (what) {
    case MatchLimits::Exceeded::steps:
      break;
    case MatchLimits::Exceeded::depth:
      return fail(ErrorCode::too_large,
                  "the metric's pattern goes deeper than " + std::to_string(kMaxDepth >> 20U) +
                      " MiB of stack on its output: repeat fewer groups within each other");
    case MatchLimits::Exceeded::time:
      return fail(ErrorCode::timed_out, "the metric's pattern takes more than " +
                                            std::to_string(kMaxTime.count()) +
                                            " s on its output: repeat fewer groups");
  }
  return fail(ErrorCode::timed_out,
              "the metric's pattern takes too many steps on its output, more than " +
                  std::to_string(allowed_steps(bytes)) +
                  ": repeat nothing that is repeated itself, as in (a+)+");
}

Error no_number(std::size_t longest_line) {
  std::string why = "no line of its output matches the metric's pattern with a number in group 1";
  if (longest_line > kMaxLine) {
    why += "; of each line only the first " + std::to_string(kMaxLine) +
           " bytes are looked at, and one has " + std::to_string(longest_line);
  }
  return fail(ErrorCode::not_found, why);
}

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

Result<PrintedMetric> MetricPattern::find(std::string_view text) const {
  std::optional<Result<PrintedMetric>> found;
  HONE_CHECK(run_on_stack(kMaxDepth + kSparedStack, [&] {
    // std::regex has no other way to be stopped; all else that it may throw is memory that ran out.
    try {
      found = search(text);
    } catch (const MatchLimits::Exceeded what) {
      found = exceeded(what, text.size());
    } catch (const std::exception& error) {
      found = fail(ErrorCode::unavailable,
                   std::string("the metric's pattern could not be searched for: ") + error.what());
    }
  }));
  return *std::move(found);
}

// Throws what is exceeded.
Result<PrintedMetric> MetricPattern::search(std::string_view text) const {
  MatchLimits limits(allowed_steps(text.size()), kMaxDepth, kMaxTime);
  std::size_t longest = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    longest = std::max(longest, end - start);
    const std::string_view line = text.substr(start, std::min(end - start, kMaxLine));
    std::match_results<WatchedCharacters> match;
    const bool found =
        std::regex_search(WatchedCharacters(line.data(), &limits),
                          WatchedCharacters(line.data() + line.size(), &limits), match, pattern_);
    if (found && match[1].matched) {
      const char* const first = match[1].first.address();
      const std::string_view number(first,
                                    static_cast<std::size_t>(match[1].second.address() - first));
      const std::optional<double> value = finite_number(number);
      if (!value) {
        return no_number(longest);
      }
      const auto at = static_cast<std::size_t>(first - text.data());
      std::string rest(text.substr(0, at));
      rest += text.substr(at + number.size());
      return PrintedMetric{*value, std::move(rest)};
    }
    start = end + 1;
  }
  return no_number(longest);
}

}  // namespace hone
