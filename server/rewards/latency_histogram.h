// Latencies counted in buckets, as a service exports them for Prometheus.
//
// Bounds are the upper ends of the buckets, in seconds, ascending; one more bucket holds what is
// above the last of them. Counts are per bucket, not cumulative, and need not be whole numbers:
// windows are weighted. Plain functions; thread safe.
#pragma once

#include <span>
#include <vector>

#include "common/base/result.h"

namespace hone {

using BucketBounds = std::vector<double>;

// A most fine histogram: 2 % steps from 1 us to 1 h are 1,100.
inline constexpr std::size_t kMostBuckets = 2048;

// invalid_argument unless they are 1 to kMostBuckets finite numbers above 0 that ascend.
Result<void> check_bounds(std::span<const double> bounds);

// The q-quantile, 0 < q < 1, as Prometheus' histogram_quantile() has it (2.42): linear within its
// bucket, the first of which begins at 0; the last bound for what lies above it. NaN for no counts.
// `counts` has one number more than `bounds`.
double histogram_quantile(std::span<const double> bounds, std::span<const double> counts, double q);

}  // namespace hone
