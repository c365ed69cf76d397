// The pairs that raw samples make. Thread safe.
#pragma once

#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/target_spec.h"
#include "common/stats/paired_sample.h"

namespace hone {

// ln(T_baseline / T_candidate) of each pair in raw samples, of the metric alone, in the order of
// their numbers; above 0 is better, also where higher is. A pair's value is the mean of its
// inputs', as the worker computes it; a pair that lacks a run is left out. invalid_argument if a
// value is not positive.
Result<std::vector<PairedSample>> pairs_of(std::span<const Sample> samples,
                                           const MetricSpec& metric);

}  // namespace hone
