#include "server/rewards/window_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace hone {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// What one counter did in the window: an increase, or why it tells none.
struct Increase {
  WindowOutcome outcome = WindowOutcome::ok;
  double value = 0;
};

// The last sample at or before `time`; the end if there is none.
std::vector<RawSample>::const_iterator last_before(const std::vector<RawSample>& samples,
                                                   double time) {
  const auto after = std::ranges::upper_bound(samples, time, std::less<>(), &RawSample::time);
  return after == samples.begin() ? samples.end() : std::prev(after);
}

Increase increase_of(const RawSeries& series, const WindowSpan& span) {
  const double end = span.start + span.seconds;
  const auto first = last_before(series.samples, span.start);
  const auto last = last_before(series.samples, end);
  if (last == series.samples.end() || last->time < end - span.most_age) {
    return {WindowOutcome::scrape_gap};
  }
  if (first == series.samples.end() || first->time < span.start - span.most_age) {
    // Its first sample lies within the window: an instance that began. Else the start was missed.
    const bool began = series.samples.front().time > span.start;
    return {began ? WindowOutcome::counter_reset : WindowOutcome::scrape_gap};
  }
  for (auto sample = first; sample <= last; ++sample) {
    if (!std::isfinite(sample->value) || sample->value < 0) {
      return {WindowOutcome::not_a_number};
    }
    if (sample != first && sample->value < std::prev(sample)->value) {
      return {WindowOutcome::counter_reset};
    }
  }
  return {WindowOutcome::ok, last->value - first->value};
}

// The buckets of each instance: everything but "le" tells instances apart.
using Instances = std::map<std::map<std::string, std::string>, std::map<double, const RawSeries*>>;

Result<Instances> by_instance(std::span<const RawSeries> buckets) {
  Instances instances;
  for (const RawSeries& series : buckets) {
    const std::optional<double> bound = bucket_bound(series);
    if (!bound) {
      return fail(ErrorCode::invalid_argument,
                  "a bucket's label le is no number: \"" + std::string(series.label("le")) + "\"");
    }
    std::map<std::string, std::string> rest = series.labels;
    rest.erase("le");
    instances[std::move(rest)][*bound] = &series;
  }
  return instances;
}

// The sum over a counter's instances; the first outcome that is not ok wins.
Increase sum_of(std::span<const RawSeries> counter, const WindowSpan& span) {
  Increase sum;
  for (const RawSeries& series : counter) {
    const Increase increase = increase_of(series, span);
    if (increase.outcome != WindowOutcome::ok) {
      return increase;
    }
    sum.value += increase.value;
  }
  return sum;
}

// Adds an instance's latencies; gives the outcome.
WindowOutcome add_instance(const std::map<double, const RawSeries*>& buckets,
                           const WindowSpan& span, GroupWindow& window) {
  double below = 0;
  std::size_t bucket = 0;
  for (const auto& [bound, series] : buckets) {
    const Increase increase = increase_of(*series, span);
    if (increase.outcome != WindowOutcome::ok) {
      return increase.outcome;
    }
    if (increase.value < below) {  // scraped while it was counted: cumulative counts must ascend
      return WindowOutcome::not_a_number;
    }
    window.latencies[bucket++] += increase.value - below;
    below = increase.value;
  }
  window.requests += below;
  return WindowOutcome::ok;
}

GroupWindow unknown(WindowOutcome outcome) {
  GroupWindow window;
  window.outcome = outcome;
  return window;
}

}  // namespace

std::optional<double> bucket_bound(const RawSeries& series) {
  const std::string_view text = series.label("le");
  if (text == "+Inf" || text == "Inf") {
    return kInfinite;
  }
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() ? std::optional(value)
                                                                   : std::nullopt;
}

Result<BucketBounds> bucket_bounds(std::span<const RawSeries> buckets) {
  HONE_TRY(const Instances instances, by_instance(buckets));
  BucketBounds bounds;
  bool first = true;
  for (const auto& [labels, series] : instances) {
    BucketBounds own;
    for (const auto& [bound, each] : series) {
      own.push_back(bound);
    }
    if (own.back() != kInfinite) {
      return fail(ErrorCode::invalid_argument, "a histogram has no bucket le=\"+Inf\"");
    }
    own.pop_back();
    if (!first && own != bounds) {
      return fail(ErrorCode::invalid_argument,
                  "instances have different buckets: one has " + std::to_string(bounds.size()) +
                      " finite bounds, another " + std::to_string(own.size()) +
                      " or others; give all of them the same");
    }
    bounds = std::move(own);
    first = false;
  }
  if (!first) {
    HONE_CHECK(check_bounds(bounds));
  }
  return bounds;
}

Result<GroupWindow> read_window(const GroupSeries& series, std::span<const double> bounds,
                                const WindowSpan& span) {
  HONE_TRY(const Instances instances, by_instance(series.buckets));
  if (instances.empty()) {
    return unknown(WindowOutcome::no_data);
  }
  GroupWindow window;
  window.latencies.assign(bounds.size() + 1, 0);
  for (const auto& [labels, buckets] : instances) {
    if (buckets.size() != bounds.size() + 1) {
      return fail(ErrorCode::invalid_argument, "an instance has other buckets than the rest");
    }
    const WindowOutcome outcome = add_instance(buckets, span, window);
    if (outcome != WindowOutcome::ok) {
      return unknown(outcome);
    }
  }
  for (const auto& [counter, sum] : {std::pair(series.failures, &window.failures),
                                     std::pair(series.cpu_seconds, &window.cpu_seconds)}) {
    const Increase increase = sum_of(counter, span);
    if (increase.outcome != WindowOutcome::ok) {
      return unknown(increase.outcome);
    }
    *sum = increase.value;
  }
  if (!(window.requests > 0)) {
    return unknown(WindowOutcome::no_traffic);
  }
  if (window.failures > window.requests) {
    return unknown(WindowOutcome::not_a_number);
  }
  return window;
}

}  // namespace hone
