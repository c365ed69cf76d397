// The effect of running first or second, estimated and removed.
//
// Model: log_ratio = reward + sign * effect + noise, sign = +1 when the baseline ran first. Thread
// safe.
#pragma once

#include <span>
#include <vector>

#include "common/stats/paired_sample.h"

namespace hone {

// The median of sign * log_ratio. With equally many pairs of both orders the reward cancels in it;
// with only one order it would swallow the reward, so it is 0 then: unless both orders have at
// least two pairs and differ in number by no more than half of the larger one. 0 for no pairs.
double order_effect(std::span<const PairedSample> samples);

// The log ratios with the order effect subtracted, in the order of the samples.
std::vector<double> order_adjusted(std::span<const PairedSample> samples);

}  // namespace hone
