// Successive halving: which of many candidates is best, for few measurements.
//
// Every candidate is measured a little, the better half some more, and so on. Source: Karnin, Koren
// and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits" (ICML 2013); here what
// earlier rounds measured is kept, and a round doubles it, so that each costs about as much as the
// one before. It ranks; what the best one is worth must be measured afresh, since the best of many
// looks better than it is (the best of 50 equal candidates by 0.4 to 1.7 points after 12 pairs).
// Thread safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone {

inline constexpr std::size_t kMostRounds = 4;
inline constexpr std::size_t kLastRoundBlocks = 32;

struct HalvingRound {
  std::size_t blocks = 0;     // that each candidate has been measured in when the round ends
  std::size_t survivors = 0;  // that go on
};

struct HalvingPlan {
  std::size_t most_rounds = kMostRounds;
  std::size_t last_blocks = kLastRoundBlocks;
};

// The rounds of a race. In each, half of the candidates (rounded up) go on; the last one leaves the
// best. There are as many rounds as halvings are needed, at most the plan's; each has twice the
// blocks of the one before, so that by default 50 candidates cost 548 runs with a shared baseline,
// where measuring each by 32 blocks would cost 1,632. Nothing for fewer than two candidates.
std::vector<HalvingRound> halving_rounds(std::size_t candidates, const HalvingPlan& plan = {});

// Ranks candidates that ran in the same blocks. costs[c][b] is the logarithm of candidate c's cost
// in block b; all have the same number of blocks, at least 1. Each block is centred first, so that
// what made all of them slow in it counts for none. Returns the indices, lowest Hodges-Lehmann
// estimate of the cost first; equal ones in their order.
std::vector<std::size_t> ranked_by_cost(std::span<const std::vector<double>> costs);

}  // namespace hone
