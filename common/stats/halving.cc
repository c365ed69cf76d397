#include "common/stats/halving.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/stats/median.h"
#include "common/stats/walsh.h"

namespace hone {

std::vector<HalvingRound> halving_rounds(std::size_t candidates, const HalvingPlan& plan) {
  std::vector<HalvingRound> rounds;
  std::size_t left = candidates;
  while (left > 1 && rounds.size() < plan.most_rounds) {
    left = (left + 1) / 2;
    rounds.push_back({0, left});
  }
  std::size_t blocks = plan.last_blocks;
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
    round->blocks = blocks;
    blocks /= 2;
  }
  if (!rounds.empty()) {
    rounds.back().survivors = 1;
  }
  return rounds;
}

std::vector<std::size_t> ranked_by_cost(std::span<const std::vector<double>> costs) {
  std::vector<std::vector<double>> centred(costs.begin(), costs.end());
  const std::size_t blocks = centred.empty() ? 0 : centred.front().size();
  for (std::size_t block = 0; block < blocks; ++block) {
    std::vector<double> all;
    all.reserve(centred.size());
    for (const std::vector<double>& candidate : centred) {
      all.push_back(candidate[block]);
    }
    const double centre = median(std::move(all));
    for (std::vector<double>& candidate : centred) {
      candidate[block] -= centre;
    }
  }
  std::vector<double> estimates;
  estimates.reserve(centred.size());
  for (const std::vector<double>& candidate : centred) {
    estimates.push_back(hodges_lehmann(candidate));
  }
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Not stable_sort: its buffer is deprecated in g++ 12's library.
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(estimates[a], a) < std::pair(estimates[b], b);
  });
  return order;
}

}  // namespace hone
