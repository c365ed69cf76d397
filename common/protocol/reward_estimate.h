// How much better a candidate is than the baseline, and how sure we are. Plain values.
#pragma once

#include <cstdint>

#include "common/json/object_reader.h"

namespace hone {

// reward = ln(T_baseline / T_candidate): above 0 is faster. Estimate and interval are of the median
// pair (Hodges-Lehmann), on the log scale. A number that is the same in every run (a size,
// instructions) is its own interval: low = value = high, nothing to detect and no noise; the
// confidence, at least what it says, stays as it is.
struct RewardEstimate {
  double value = 0;
  double low = 0;
  double high = 0;
  double confidence = 0.95;  // of the interval, honest after sequential stopping
  std::int64_t pairs = 0;
  double detectable_effect = 0;  // smallest |reward| this many pairs would have found, log scale
  double noise = 0;              // robust standard deviation of one pair's log ratio
  bool operator==(const RewardEstimate&) const = default;
};
Json to_json(const RewardEstimate& reward);
RewardEstimate read_reward(ObjectReader& reader);

}  // namespace hone
