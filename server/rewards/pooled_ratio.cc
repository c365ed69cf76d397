#include "server/rewards/pooled_ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace hone {
namespace {

double reward_of(Sli sli, std::span<const double> bounds, const PooledWindows& pooled) {
  return relative_reward(sli, sli_value(sli, bounds, pooled.baseline),
                         sli_value(sli, bounds, pooled.canary));
}

// `whole` less `part`, both of the same series.
GroupWindow without(const GroupWindow& whole, const GroupWindow& part) {
  GroupWindow rest = whole;
  for (std::size_t i = 0; i < part.latencies.size(); ++i) {
    // What cancels exactly in numbers may leave a hair below 0 in floating point.
    rest.latencies[i] = std::max(0.0, rest.latencies[i] - part.latencies[i]);
  }
  rest.requests -= part.requests;
  rest.failures = std::max(0.0, rest.failures - part.failures);
  rest.cpu_seconds -= part.cpu_seconds;
  return rest;
}

double jackknife_error(std::span<const double> values) {
  const auto blocks = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) {
    mean += value / blocks;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return std::sqrt(squares * (blocks - 1) / blocks);
}

}  // namespace

PooledRatio pooled_ratio(Sli sli, std::span<const double> bounds,
                         std::span<const SliWindow> series) {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].ok()) {
      known.push_back(i);
    }
  }
  const PooledWindows whole = pool_windows(series, known);
  PooledRatio ratio;
  ratio.windows = known.size();
  ratio.baseline = sli_value(sli, bounds, whole.baseline);
  ratio.canary = sli_value(sli, bounds, whole.canary);
  ratio.reward = relative_reward(sli, ratio.baseline, ratio.canary);
  ratio.error = std::numeric_limits<double>::quiet_NaN();
  const std::size_t length = (known.size() + kMostJackknifeBlocks - 1) / kMostJackknifeBlocks;
  if (known.size() < 2) {
    return ratio;
  }
  std::vector<double> left_out;
  for (std::size_t at = 0; at < known.size(); at += length) {
    const std::size_t count = std::min(length, known.size() - at);
    const PooledWindows part = pool_windows(series, std::span(known).subspan(at, count));
    const PooledWindows rest{.baseline = without(whole.baseline, part.baseline),
                             .canary = without(whole.canary, part.canary)};
    left_out.push_back(reward_of(sli, bounds, rest));
  }
  ratio.error = jackknife_error(left_out);
  return ratio;
}

}  // namespace hone
