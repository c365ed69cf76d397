#include "common/stats/block_bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "common/base/random.h"

namespace hone {
namespace {

constexpr std::size_t kLeastResamples = 100;

Result<void> check(std::size_t windows, const BlockBootstrap& options) {
  if (windows < kLeastBootstrapWindows) {
    return fail(ErrorCode::invalid_argument, std::to_string(windows) +
                                                 " windows are too few for an interval, it takes " +
                                                 std::to_string(kLeastBootstrapWindows));
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    return fail(ErrorCode::invalid_argument, "the confidence must lie between 0 and 1");
  }
  if (options.resamples < kLeastResamples) {
    return fail(ErrorCode::invalid_argument,
                "a bootstrap takes at least " + std::to_string(kLeastResamples) + " resamples");
  }
  if (options.block > windows) {
    return fail(ErrorCode::invalid_argument, "a block is longer than the series");
  }
  return {};
}

// The quantile at position p * (R + 1) of sorted values.
double sorted_quantile(std::span<const double> sorted, double p) {
  const auto count = static_cast<double>(sorted.size());
  const double position = std::clamp(p * (count + 1) - 1, 0.0, count - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - std::floor(position));
}

}  // namespace

std::size_t block_length(std::size_t windows) {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(windows)))));
}

Result<Interval> block_bootstrap_interval(std::size_t windows, const WindowEstimate& estimate,
                                          const BlockBootstrap& options) {
  HONE_CHECK(check(windows, options));
  std::vector<std::size_t> drawn(windows);
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  const double whole = estimate(drawn);
  if (!std::isfinite(whole)) {
    return fail(ErrorCode::invalid_argument, "the windows do not tell what is asked of them");
  }
  const std::size_t block = options.block == 0 ? block_length(windows) : options.block;
  Random random(options.seed);
  std::vector<double> estimates;
  estimates.reserve(options.resamples);
  for (std::size_t i = 0; i < options.resamples; ++i) {
    for (std::size_t at = 0; at < windows; at += block) {
      const std::size_t start = random.below(windows);
      for (std::size_t j = 0; j < block && at + j < windows; ++j) {
        drawn[at + j] = (start + j) % windows;
      }
    }
    const double value = estimate(drawn);
    if (std::isfinite(value)) {
      estimates.push_back(value);
    }
  }
  if (estimates.size() * 10 < options.resamples * 9) {
    return fail(ErrorCode::invalid_argument, "too few windows tell what is asked of them");
  }
  std::ranges::sort(estimates);
  const double half_alpha = (1 - options.confidence) / 2;
  return Interval{sorted_quantile(estimates, half_alpha), whole,
                  sorted_quantile(estimates, 1 - half_alpha)};
}

}  // namespace hone
