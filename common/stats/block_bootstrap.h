// A percentile interval of anything that is computed from a series of windows in time.
//
// Neighbouring windows are alike (load, caches, a deployment next door), so that whole blocks of
// them are drawn, around the end of the series and from its start again: the circular block
// bootstrap of Politis and Romano, "A circular block-resampling procedure for stationary data"
// (1992). A function of its seed alone. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "common/base/result.h"
#include "common/stats/interval.h"

namespace hone {

struct BlockBootstrap {
  double confidence = 0.95;
  std::size_t resamples = 1000;  // at least 100
  std::size_t block = 0;         // windows that are drawn together; 0: block_length()
  std::uint64_t seed = 1;
};

inline constexpr std::size_t kLeastBootstrapWindows = 8;

// The cube root of the number of windows, rounded up: the order that makes the interval's error
// smallest (Hall, Horowitz and Jing, Biometrika 82, 1995).
std::size_t block_length(std::size_t windows);

// What is estimated, from the windows with these indices (some several times); not finite where
// they do not tell.
using WindowEstimate = std::function<double(std::span<const std::size_t> windows)>;

// The estimate from all of `windows` windows, with its interval. invalid_argument for fewer than
// kLeastBootstrapWindows, options out of range, an estimate that is not finite, and where more than
// one resample in ten has none.
Result<Interval> block_bootstrap_interval(std::size_t windows, const WindowEstimate& estimate,
                                          const BlockBootstrap& options = {});

}  // namespace hone
