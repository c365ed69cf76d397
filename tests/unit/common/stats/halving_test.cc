#include "common/stats/halving.h"

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace hone {
namespace {

TEST(Halving, HalfGoesOnInRoundsThatDouble) {
  const std::vector<HalvingRound> rounds = halving_rounds(50);
  ASSERT_EQ(rounds.size(), 4U);
  const std::size_t blocks[] = {4, 8, 16, 32};
  const std::size_t survivors[] = {25, 13, 7, 1};
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    EXPECT_EQ(rounds[i].blocks, blocks[i]);
    EXPECT_EQ(rounds[i].survivors, survivors[i]);
  }
}

TEST(Halving, FewCandidatesHaveFewLongRounds) {
  EXPECT_TRUE(halving_rounds(0).empty());
  EXPECT_TRUE(halving_rounds(1).empty());
  ASSERT_EQ(halving_rounds(2).size(), 1U);
  EXPECT_EQ(halving_rounds(2)[0].blocks, 32U);
  ASSERT_EQ(halving_rounds(3).size(), 2U);
  EXPECT_EQ(halving_rounds(3)[0].blocks, 16U);
  EXPECT_EQ(halving_rounds(3)[0].survivors, 2U);
  EXPECT_EQ(halving_rounds(3)[1].survivors, 1U);
}

TEST(Halving, RoundsAndBlocksAreThePlans) {
  const std::vector<HalvingRound> rounds = halving_rounds(8, {.most_rounds = 3, .last_blocks = 24});
  ASSERT_EQ(rounds.size(), 3U);
  EXPECT_EQ(rounds[0].blocks, 6U);
  EXPECT_EQ(rounds[1].blocks, 12U);
  EXPECT_EQ(rounds[2].blocks, 24U);
  EXPECT_EQ(rounds[2].survivors, 1U);
}

TEST(Halving, FiftyCandidatesCostWhatTheHeaderSays) {
  std::size_t runs = 0;
  std::size_t alive = 50;
  std::size_t before = 0;
  for (const HalvingRound& round : halving_rounds(50)) {
    runs += (round.blocks - before) * (alive + 1);
    before = round.blocks;
    alive = round.survivors;
  }
  EXPECT_EQ(runs, 548U);
}

TEST(Halving, WhatSlowsAWholeBlockDownCountsForNone) {
  // Candidate 1 is best in every block; the second block was three times as slow for all.
  const std::vector<std::vector<double>> costs = {
      {0.03, 1.13, 0.02, 0.03}, {0.00, 1.10, 0.01, 0.00}, {0.02, 1.11, 0.05, 0.02}};
  EXPECT_EQ(ranked_by_cost(costs), (std::vector<std::size_t>{1, 2, 0}));
}

TEST(Halving, RanksTheBestFirstInNoise) {
  Random random(3);
  std::vector<std::vector<double>> costs(10);
  for (int block = 0; block < 32; ++block) {
    const double machine = random.uniform();
    for (std::size_t c = 0; c < costs.size(); ++c) {
      costs[c].push_back(machine + 0.05 * random.uniform() - (c == 7 ? 0.05 : 0));
    }
  }
  EXPECT_EQ(ranked_by_cost(costs).front(), 7U);
}

TEST(Halving, EqualOnesKeepTheirOrder) {
  const std::vector<std::vector<double>> costs(3, {1, 2});
  EXPECT_EQ(ranked_by_cost(costs), (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace hone
