// Intervals at a fixed number of pairs, any confidence: for reports, never to decide when to stop.
//
// Thread safe; the bootstrap is a function of its seed alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/result.h"
#include "common/stats/interval.h"

namespace hone {

// Hodges-Lehmann with the interval that inverts Wilcoxon's signed-rank test: exact for up to
// kExactSignedRankLimit values (coverage at least `confidence` if the noise is symmetric), else by
// the normal approximation. invalid_argument for no values, a value that is not finite, a
// confidence outside (0, 1), or so few values that even the extremes do not reach it (5 values end
// at 93.75 %).
Result<Interval> wilcoxon_interval(std::span<const double> values, double confidence);

// Percentile bootstrap of the Hodges-Lehmann estimate. Slightly too short for small n: at least 8
// values are asked for. Errors as above, and for fewer than 100 resamples.
Result<Interval> bootstrap_interval(std::span<const double> values, double confidence,
                                    std::uint64_t seed, std::size_t resamples = 2000);

}  // namespace hone
