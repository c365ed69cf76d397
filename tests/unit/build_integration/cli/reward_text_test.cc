#include "build_integration/cli/reward_text.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(RewardText, LogRatioBecomesPercentFaster) {
  EXPECT_EQ(percent_text(std::log(1.021)), "+2.1 %");
  EXPECT_EQ(percent_text(std::log(0.93)), "−7.0 %");
  EXPECT_EQ(percent_text(std::log(2.0)), "+100.0 %");
}

TEST(RewardText, NoSignOnWhatRoundsToZero) {
  EXPECT_EQ(percent_text(0.0), "0.0 %");
  EXPECT_EQ(percent_text(-0.0004), "0.0 %");
  EXPECT_EQ(percent_text(0.0004), "0.0 %");
}

TEST(RewardText, IntervalFollowsTheEstimate) {
  RewardEstimate reward;
  reward.value = std::log(1.02);
  reward.low = std::log(0.999);
  reward.high = std::log(1.041);
  EXPECT_EQ(reward_text(reward), "+2.0 % [−0.1, +4.1]");
}

TEST(RewardText, ANumberThatIsAlwaysTheSameIsItsOwnInterval) {
  RewardEstimate reward;
  reward.value = reward.low = reward.high = std::log(1.02);
  EXPECT_TRUE(is_exact(reward));
  EXPECT_EQ(reward_text(reward), "+2.0 % [exact]");
  reward.noise = 0.01;
  EXPECT_FALSE(is_exact(reward));
}

}  // namespace
}  // namespace hone
