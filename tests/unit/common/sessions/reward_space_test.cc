#include "common/sessions/reward_space.h"

#include <cmath>

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace hone {
namespace {

TEST(RewardSpace, IsSpeltAndReadAlike) {
  for (const std::string_view text : split(kRewardSpaceChoices, ',')) {
    const auto space = parse_reward_space(trim(text));
    ASSERT_TRUE(space) << text;
    EXPECT_EQ(to_string(*space), trim(text));
  }
  EXPECT_EQ(parse_reward_space("IrInstructionCountO9"), std::nullopt);
  EXPECT_EQ(parse_reward_space("RuntimeOz"), std::nullopt);
  for (const std::string_view text : split(kSessionRewardChoices, ',')) {
    EXPECT_FALSE(is_linked(observation_of(parse_reward_space(trim(text))->cost))) << text;
  }
}

TEST(Reward, FollowsItsDefinition) {
  const RewardCosts costs{200, 100};
  EXPECT_DOUBLE_EQ(reward(RewardForm::difference, costs, 180, 150), 30);
  EXPECT_DOUBLE_EQ(reward(RewardForm::norm, costs, 180, 150), 0.15);
  EXPECT_DOUBLE_EQ(reward(RewardForm::o3, costs, 200, 100), 1);
  EXPECT_DOUBLE_EQ(reward(RewardForm::oz, costs, 200, 50), 1.5);
  EXPECT_DOUBLE_EQ(reward(RewardForm::log_ratio, costs, 200, 100), std::log(2));
}

TEST(Reward, IsFiniteWhereTheBaselineIsNoBetterAndWhereNothingIsLeft) {
  EXPECT_DOUBLE_EQ(reward(RewardForm::o3, {100, 120}, 100, 90), 10);
  EXPECT_DOUBLE_EQ(reward(RewardForm::norm, {0, 0}, 3, 1), 2);
  EXPECT_DOUBLE_EQ(reward(RewardForm::log_ratio, {}, 10, 0), std::log(10));
}

}  // namespace
}  // namespace hone
