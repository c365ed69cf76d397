// What in the samples puts the verdict's error rate in doubt. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "common/protocol/attempt_result.h"
#include "common/stats/paired_sample.h"

namespace hone {

// Warnings for people, each with what it means:
//   - neighbouring pairs resemble each other (lag-1 autocorrelation of the order-adjusted log
//     ratios above 0.3 and above 2.5 standard errors): false calls rise from 5 to 14 %;
//   - slow runs in one binary only (more than 5 sigma above the median in at least two and 5 % of
//     its runs and none of the other's): false calls rise to 7 %;
//   - the second run of a pair differs by more than 1 %; it is subtracted.
// None of these below 12 pairs. Always: that energy is the whole machine's.
std::vector<std::string> doubts(const std::vector<Sample>& samples,
                                const std::vector<PairedSample>& pairs);

}  // namespace hone
