#include "common/stats/paired_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "common/stats/order_effect.h"

namespace hone {
namespace {

using enum RunOrder;

TEST(PairedSample, FasterCandidateHasPositiveRatio) {
  EXPECT_DOUBLE_EQ(paired_sample(2.0, 1.0, baseline_first)->log_ratio, std::log(2.0));
  EXPECT_DOUBLE_EQ(paired_sample(1.0, 2.0, baseline_first)->log_ratio, -std::log(2.0));
  EXPECT_TRUE(std::isfinite(paired_sample(1e-300, 1e300, candidate_first)->log_ratio));
}

TEST(PairedSample, RefusesWhatIsNoTime) {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(paired_sample(bad, 1, baseline_first).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(paired_sample(1, bad, baseline_first).error().code, ErrorCode::invalid_argument);
  }
}

TEST(BalancedOrders, EveryBlockHasTwoOfEachAndBlocksDiffer) {
  Random random(4);
  const std::vector<RunOrder> orders = balanced_orders(100, random);
  ASSERT_EQ(orders.size(), 400U);
  std::set<std::vector<RunOrder>> blocks;
  for (auto block = orders.begin(); block != orders.end(); block += kPairsPerBlock) {
    EXPECT_EQ(std::count(block, block + kPairsPerBlock, baseline_first), 2);
    blocks.insert({block, block + kPairsPerBlock});
  }
  EXPECT_EQ(blocks.size(), 6U);  // all arrangements occur
}

TEST(OrderEffect, IsTheMedianOfSignedRatiosAndIsRemoved) {
  const std::vector<PairedSample> samples = {{0.03, baseline_first},
                                             {0.01, candidate_first},
                                             {0.03, baseline_first},
                                             {0.01, candidate_first}};
  // Signed: 0.03, -0.01, 0.03, -0.01: median 0.01; all adjusted to 0.02.
  EXPECT_DOUBLE_EQ(order_effect(samples), 0.01);
  for (const double value : order_adjusted(samples)) {
    EXPECT_DOUBLE_EQ(value, 0.02);
  }
}

TEST(OrderEffect, IsNotEstimatedFromOneOrder) {
  const std::vector<PairedSample> one_order(8, {0.05, baseline_first});
  EXPECT_EQ(order_effect(one_order), 0);
  EXPECT_EQ(order_adjusted(one_order), std::vector<double>(8, 0.05));
  std::vector<PairedSample> lopsided(5, {0.05, baseline_first});
  lopsided.resize(7, {0.05, candidate_first});
  EXPECT_EQ(order_effect(lopsided), 0);
  EXPECT_EQ(order_effect({}), 0);
}

}  // namespace
}  // namespace hone
