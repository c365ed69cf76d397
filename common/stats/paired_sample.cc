#include "common/stats/paired_sample.h"

#include <array>
#include <cmath>
#include <string>

namespace hone {

Result<PairedSample> paired_sample(double baseline, double candidate, RunOrder order) {
  for (const double time : {baseline, candidate}) {
    if (!std::isfinite(time) || time <= 0) {
      return fail(ErrorCode::invalid_argument,
                  "a measured value is " + std::to_string(time) + ", not a positive number");
    }
  }
  // A difference of logarithms: the quotient of two tiny values could overflow.
  return PairedSample{std::log(baseline) - std::log(candidate), order};
}

std::vector<RunOrder> balanced_orders(std::size_t blocks, Random& random) {
  std::vector<RunOrder> orders;
  orders.reserve(blocks * kPairsPerBlock);
  for (std::size_t i = 0; i < blocks; ++i) {
    std::array<RunOrder, kPairsPerBlock> block = {
        RunOrder::baseline_first, RunOrder::baseline_first, RunOrder::candidate_first,
        RunOrder::candidate_first};
    random.shuffle(block);
    orders.insert(orders.end(), block.begin(), block.end());
  }
  return orders;
}

}  // namespace hone
