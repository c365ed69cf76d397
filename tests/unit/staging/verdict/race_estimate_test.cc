#include "staging/verdict/race_estimate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace hone {
namespace {

// A candidate of that reward, with normal noise of that deviation a block; one link of each side.
RaceEntry entry(double reward, double sigma, std::size_t blocks, std::uint64_t seed = 1) {
  Random random(seed);
  RaceEntry made;
  made.blocks = blocks;
  for (std::size_t block = 0; block < blocks; ++block) {
    double normal = -6;
    for (int i = 0; i < 12; ++i) {
      normal += random.uniform();
    }
    const RunOrder order = block % 2 == 0 ? RunOrder::baseline_first : RunOrder::candidate_first;
    made.pairs.push_back({reward + sigma * normal, order});
    for (const SampleRole role : {SampleRole::baseline, SampleRole::candidate}) {
      Sample sample;
      sample.pair = static_cast<std::int64_t>(block);
      sample.role = role;
      sample.value = role == SampleRole::baseline ? 1 : std::exp(-made.pairs.back().log_ratio);
      made.samples.push_back(sample);
    }
  }
  return made;
}

TEST(RaceEstimate, SaysWhatTheBlocksSay) {
  const std::optional<RaceEstimate> faster = race_estimate(entry(0.05, 0.01, 24), 1);
  ASSERT_TRUE(faster.has_value());
  EXPECT_EQ(faster->verdict, Verdict::faster);
  EXPECT_NEAR(faster->reward.value, 0.05, 0.01);
  EXPECT_GT(faster->reward.low, 0.03);
  EXPECT_LT(faster->reward.high, 0.07);
  EXPECT_EQ(faster->reward.pairs, 24);
  EXPECT_GT(faster->reward.detectable_effect, 0);
  EXPECT_EQ(race_estimate(entry(-0.05, 0.01, 24), 1)->verdict, Verdict::slower);
  EXPECT_EQ(race_estimate(entry(0.004, 0.002, 24), 1)->verdict, Verdict::within_noise);
  EXPECT_EQ(race_estimate(entry(0.0001, 0.004, 24), 1)->verdict, Verdict::no_change);
  EXPECT_EQ(race_estimate(entry(0.01, 0.10, 24), 1)->verdict, Verdict::inconclusive);
}

TEST(RaceEstimate, SixBlocksGiveAnIntervalAndFewerNone) {
  EXPECT_FALSE(race_estimate(entry(0.05, 0.01, 5), 1).has_value());
  EXPECT_FALSE(race_estimate(entry(0.05, 0.01, 0), 1).has_value());
  const RaceEntry six = entry(0.05, 0.01, 6);
  const std::optional<RaceEstimate> known = race_estimate(six, 1);
  ASSERT_TRUE(known.has_value());
  // At 95 % and six values the interval's ends are the extremes.
  for (const PairedSample& pair : six.pairs) {
    EXPECT_LE(known->reward.low, pair.log_ratio);
    EXPECT_GE(known->reward.high, pair.log_ratio);
  }
}

TEST(RaceEstimate, TheIntervalHoldsAsOftenAsItSays) {
  for (const std::size_t blocks : {6U, 12U, 24U}) {
    int held = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      const RewardEstimate reward = race_estimate(entry(0.02, 0.02, blocks, seed), 1)->reward;
      held += reward.low <= 0.02 && 0.02 <= reward.high ? 1 : 0;
    }
    // Four standard errors of a thousand trials.
    EXPECT_GE(held, 950 - 28) << blocks;
    EXPECT_LE(held, 990) << blocks;
  }
}

TEST(RaceEstimate, WhatLinksOfOneProgramShowAsWellIsWithinNoise) {
  RaceEntry made = entry(0.03, 0.001, 24);
  for (std::size_t block = 0; block < 24; ++block) {
    const bool slow_link = block % 4 < 2;
    made.pairs[block].log_ratio += slow_link ? 0.02 : -0.02;
    made.samples[2 * block].layout = made.samples[2 * block + 1].layout = slow_link ? 1 : 0;
  }
  const std::optional<RaceEstimate> known = race_estimate(made, 2);
  ASSERT_TRUE(known.has_value());
  EXPECT_GT(known->layout_sigma, 0.015);
  EXPECT_EQ(known->verdict, Verdict::within_noise);
  ASSERT_FALSE(known->warnings.empty());
  EXPECT_NE(known->warnings.back().find("links of the same objects"), std::string::npos);
}

TEST(RaceEstimate, AnOrderEffectThatCancelsIsNoWarning) {
  RaceEntry made = entry(0.03, 0.002, 24);
  for (PairedSample& pair : made.pairs) {
    pair.log_ratio += order_sign(pair.order) * 0.02;
  }
  const std::optional<RaceEstimate> known = race_estimate(made, 1);
  EXPECT_NEAR(known->reward.value, 0.03, 0.01);
  EXPECT_TRUE(known->warnings.empty()) << known->warnings.front();
}

}  // namespace
}  // namespace hone
