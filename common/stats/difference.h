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
// with Welch and Satterthwaite's degrees of freedom; the standard errors come from the width of
// each set's Walsh interval, which outliers hardly move. Sets may differ in spread and size, where
// Mann and Whitney's interval is not honest. Coverage of the 99 % interval in simulation, 12 to 192
// values of normal, Student (2 and 3), 10 % contaminated, exponential or log-normal
// noise: 98.3-99.9 %, the least for skewed noise at very unequal sizes. invalid_argument: fewer
// than 6 values in a set, one not finite, confidence outside (0, 1).
Result<Interval> location_difference(std::span<const double> first, std::span<const double> second,
                                     double confidence);

}  // namespace hone
