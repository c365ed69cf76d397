#include "staging/runner/metric_pattern.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace hone {
namespace {

constexpr std::size_t kMaxLine = 4096;
// A pattern such as ".*x" looks at the rest of the line from each byte of it: that much is allowed,
// but for an output of many megabytes no more than takes about a minute.
constexpr std::uint64_t kStepsPerByte = kMaxLine;
constexpr std::uint64_t kStepsAtLeast = 1'000'000;
constexpr std::uint64_t kStepsAtMost = 2'000'000'000;

// std::regex has no limit of its own and cannot be interrupted, but it reads through iterators:
// this one throws when the characters read, again and again, exceed what is left.
struct TooManySteps {};

class CountedCharacters {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedCharacters() = default;
  CountedCharacters(const char* at, std::uint64_t* left) : at_(at), left_(left) {}

  reference operator*() const {
    if (*left_ == 0) {
      throw TooManySteps();
    }
    --*left_;
    return *at_;
  }
  CountedCharacters& operator++() {
    ++at_;
    return *this;
  }
  CountedCharacters& operator--() {
    --at_;
    return *this;
  }
  CountedCharacters operator++(int) { return {at_++, left_}; }
  CountedCharacters operator--(int) { return {at_--, left_}; }
  bool operator==(const CountedCharacters& other) const { return at_ == other.at_; }
  const char* address() const { return at_; }

 private:
  const char* at_ = nullptr;
  std::uint64_t* left_ = nullptr;
};

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
  const auto nothing = [] {
    return fail(ErrorCode::not_found,
                "no line of its output matches the metric's pattern with a number in group 1");
  };
  std::uint64_t steps = std::min(kStepsAtLeast + kStepsPerByte * text.size(), kStepsAtMost);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, std::min(end - start, kMaxLine));
    std::match_results<CountedCharacters> match;
    bool found = false;
    try {
      found =
          std::regex_search(CountedCharacters(line.data(), &steps),
                            CountedCharacters(line.data() + line.size(), &steps), match, pattern_);
    } catch (const TooManySteps&) {
      return fail(ErrorCode::timed_out,
                  "the metric's pattern takes too many steps on its output: repeat nothing that is "
                  "repeated itself, as in (a+)+");
    }
    if (found && match[1].matched) {
      const char* const first = match[1].first.address();
      const std::string_view number(first,
                                    static_cast<std::size_t>(match[1].second.address() - first));
      const std::optional<double> value = finite_number(number);
      if (!value) {
        return nothing();
      }
      const auto at = static_cast<std::size_t>(first - text.data());
      std::string rest(text.substr(0, at));
      rest += text.substr(at + number.size());
      return PrintedMetric{*value, std::move(rest)};
    }
    start = end + 1;
  }
  return nothing();
}

}  // namespace hone
