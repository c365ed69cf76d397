// Did a second measurement say the same? The interval of the difference of two locations.
#pragma once

#include <span>

#include "common/base/result.h"
#include "common/stats/interval.h"

namespace hone {

// The difference centre(second) - centre(first) of two independent sets of order-adjusted log
// ratios.
//
// The estimate is the difference of the two Hodges-Lehmann estimates. The interval is Student's
// with Welch and Satterthwaite's degrees of freedom, the variances those of the estimates: each is
// the larger of what its Walsh averages and what the plain mean's variance say, since one is too
// small when there are ties and the other when there are outliers. Sets may differ in spread and
// size (Mann and Whitney's interval is not honest then). Coverage of the 99 % interval in
// simulation, for normal, heavy-tailed and skewed noise at n = 12 to 192: 98.5-99.8 %.
// invalid_argument: fewer than 6 values in a set, one not finite, confidence outside (0, 1).
Result<Interval> location_difference(std::span<const double> first, std::span<const double> second,
                                     double confidence);

}  // namespace hone
