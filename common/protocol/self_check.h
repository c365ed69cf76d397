// What a worker's measurements are worth: a comparison of the baseline with itself (an A/A run),
// made before a job's own when its lease asks for it. Plain values.
#pragma once

#include "common/json/object_reader.h"
#include "common/protocol/reward_estimate.h"
#include "common/protocol/values.h"

namespace hone {

struct SelfCheck {
  // faster or slower is a false call: both sides were the same program.
  Verdict verdict = Verdict::inconclusive;
  RewardEstimate reward;
  double baseline_value = 0;  // median of the metric over all runs, above zero; shows drift
  bool operator==(const SelfCheck&) const = default;
};
Json to_json(const SelfCheck& check);
SelfCheck read_self_check(ObjectReader& reader);

}  // namespace hone
