// The relative reward of one indicator over a series of windows, with its standard error.
#pragma once

#include <cstddef>
#include <span>

#include "server/rewards/sli.h"

namespace hone {

struct PooledRatio {
  double baseline = 0;  // the indicator; NaN where it cannot be told
  double canary = 0;
  double reward = 0;        // relative_reward() of both
  double error = 0;         // standard error by the jackknife; NaN with fewer than two blocks
  std::size_t windows = 0;  // that count
};

// More blocks than this tell an error no better, and cost time.
inline constexpr std::size_t kMostJackknifeBlocks = 40;

// Of the windows with these indices that are ok, in the order of time. The jackknife leaves out one
// block of neighbouring windows at a time: one window each up to kMostJackknifeBlocks windows,
// longer ones beyond, which also takes care of windows that resemble their neighbours. Thread safe.
PooledRatio pooled_ratio(Sli sli, std::span<const double> bounds,
                         std::span<const SliWindow> series);

}  // namespace hone
