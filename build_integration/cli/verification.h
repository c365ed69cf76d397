// Whether two measurements of one candidate say the same. Thread safe.
#pragma once

#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/target_spec.h"
#include "common/stats/interval.h"

namespace hone {

inline constexpr double kVerifyConfidence = 0.99;

// Order-adjusted log ratios of the pairs in raw samples, of the target's metric alone. The errors
// are those of pairs_of().
Result<std::vector<double>> log_ratios(std::span<const Sample> samples, const MetricSpec& metric);

struct Agreement {
  Interval difference;  // second - first, log scale, kVerifyConfidence
  std::size_t first_pairs = 0;
  std::size_t second_pairs = 0;
  bool agrees() const { return difference.contains(0.0); }
};

// Of a metric that is the same in every run, its change: only no change at all agrees.
// invalid_argument if either has fewer pairs than the interval needs.
Result<Agreement> compare_measurements(std::span<const Sample> first,
                                       std::span<const Sample> second, const MetricSpec& metric);

}  // namespace hone
