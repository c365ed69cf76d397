#include "common/protocol/reward_estimate.h"

#include "common/protocol/fields.h"

namespace hone {

Json to_json(const RewardEstimate& reward) {
  return Json{{"value", reward.value}, {"low", reward.low},
              {"high", reward.high},   {"confidence", reward.confidence},
              {"pairs", reward.pairs}, {"detectable_effect", reward.detectable_effect},
              {"noise", reward.noise}};
}

RewardEstimate read_reward(ObjectReader& reader) {
  RewardEstimate reward;
  reward.value = read_measured(reader, "value", -kHuge, kHuge);
  reward.low = read_measured(reader, "low", -kHuge, kHuge);
  reward.high = read_measured(reader, "high", -kHuge, kHuge);
  reward.confidence = reader.number("confidence", 0, 1);
  reward.pairs = reader.integer("pairs", 1, 1'000'000);
  reward.detectable_effect = read_measured(reader, "detectable_effect", 0, kHuge);
  reward.noise = read_measured(reader, "noise", 0, kHuge);
  const bool all_there = reader.has("value") && reader.has("low") && reader.has("high");
  if (all_there && (reward.low > reward.value || reward.value > reward.high)) {
    reader.refuse("value", "must lie within low and high");
  }
  if (reader.has("confidence") && (reward.confidence <= 0 || reward.confidence >= 1)) {
    reader.refuse("confidence", "must be above 0 and below 1");
  }
  return reward;
}

}  // namespace hone
