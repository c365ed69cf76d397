// One pair of adjacent runs, and its log ratio.
//
// Convention everywhere: reward r = ln(T_baseline / T_candidate), so r > 0 is faster and r = 0.01
// is about 1 %. Plain values. Thread safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/base/random.h"
#include "common/base/result.h"

namespace hone {

// Which side ran first in a pair. The second of two runs differs from the first (1.4 % slower in
// one of our benchmarks), so the order is balanced by design and its effect subtracted.
enum class RunOrder { baseline_first, candidate_first };

struct PairedSample {
  double log_ratio = 0;  // ln(T_baseline / T_candidate), finite
  RunOrder order = RunOrder::baseline_first;
  bool operator==(const PairedSample&) const = default;
};

// +1 if the baseline ran first, otherwise -1.
inline double order_sign(RunOrder order) {
  return order == RunOrder::baseline_first ? 1.0 : -1.0;
}

// The sample of two times in the same unit (CPU seconds, bytes, whatever the metric is).
// invalid_argument if one is NaN, infinite, zero or negative.
Result<PairedSample> paired_sample(double baseline, double candidate, RunOrder order);

inline constexpr std::size_t kPairsPerBlock = 4;

// The orders of `blocks` blocks of four pairs: two of each order, permuted at random within the
// block. With random order a drift of the machine cannot look like a difference of the binaries.
std::vector<RunOrder> balanced_orders(std::size_t blocks, Random& random);

}  // namespace hone
