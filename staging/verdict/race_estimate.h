// What a race says of one candidate, by the blocks that it was measured in.
//
// Hodges-Lehmann's estimate with Wilcoxon's interval at that fixed number of blocks. The order
// effect is not subtracted: in a race it cancels by design, and subtracting it from six blocks
// makes the interval too short (it then holds in 90 % of the cases instead of 97 %; simulated).
//
// It ranks candidates (stage race) and is no honest account of the best: halving lets those go on
// that looked good, so that who stays to the end looks better than it is, and who left early worse,
// by more than the interval says. What the best one is worth is measured on fresh pairs by the full
// procedure (stage confirm), and that alone is published. Thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/protocol/attempt_result.h"
#include "common/stats/halving.h"
#include "staging/verdict/race.h"

namespace hone {

// A campaign's race: as many blocks in the end as a comparison of that stage has pairs at most
// (kRacePairs), and none leaves before it has an interval (kFewestShown): 6, 12 and 24 blocks.
inline constexpr HalvingPlan kCampaignHalving{.most_rounds = 3, .last_blocks = 24};

struct RaceEstimate {
  Verdict verdict = Verdict::inconclusive;
  RewardEstimate reward;
  double layout_sigma = 0;            // as Comparison has it
  std::vector<std::string> warnings;  // what puts the verdict in doubt
};

// faster or slower if the interval excludes 0 and the estimate is at least the noise floor, and
// more than `layouts` links of equal binaries may differ by, else within_noise; no_change if a
// difference of the noise floor is ruled out, by the test of a comparison; else inconclusive.
// Nothing for an entry of fewer than kFewestShown blocks.
std::optional<RaceEstimate> race_estimate(const RaceEntry& entry, std::size_t layouts,
                                          double noise_floor = 0.01);

}  // namespace hone
