// Indicators, rewards and the pooling of windows.
#include "server/rewards/sli.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hone {
namespace {

const BucketBounds kBounds{0.1, 0.2, 0.4};

GroupWindow group(std::vector<double> latencies, double failures, double cpu) {
  GroupWindow window;
  for (const double count : latencies) {
    window.requests += count;
  }
  window.latencies = std::move(latencies);
  window.failures = failures;
  window.cpu_seconds = cpu;
  return window;
}

TEST(Sli, OfAGroup) {
  const GroupWindow window = group({10, 10, 0, 0}, 5, 2);
  EXPECT_DOUBLE_EQ(sli_value(Sli::latency_p50, kBounds, window), 0.1);
  EXPECT_DOUBLE_EQ(sli_value(Sli::latency_p95, kBounds, window), 0.19);
  EXPECT_DOUBLE_EQ(sli_value(Sli::latency_spread, kBounds, window), std::log(0.19 / 0.01));
  EXPECT_DOUBLE_EQ(sli_value(Sli::failure_share, kBounds, window), 0.25);
  EXPECT_DOUBLE_EQ(sli_value(Sli::cpu_per_request, kBounds, window), 0.1);
  for (const Sli sli : kSlis) {
    EXPECT_TRUE(std::isnan(sli_value(sli, kBounds, group({0, 0, 0, 0}, 0, 1)))) << to_string(sli);
    EXPECT_EQ(parse_sli(to_string(sli)), sli);
  }
  EXPECT_FALSE(parse_sli("p95"));
}

TEST(Sli, RewardIsPositiveWhereTheCanaryIsBetter) {
  EXPECT_DOUBLE_EQ(relative_reward(Sli::latency_p95, 0.2, 0.1), std::log(2));
  EXPECT_DOUBLE_EQ(relative_reward(Sli::latency_spread, 1.5, 1.0), 0.5);
  EXPECT_DOUBLE_EQ(relative_reward(Sli::failure_share, 0.5, 0), std::log(2));
  EXPECT_DOUBLE_EQ(relative_reward(Sli::failure_share, 0, 0), 0);
  EXPECT_TRUE(std::isnan(relative_reward(Sli::latency_p50, 0, 0.1)));
  EXPECT_DOUBLE_EQ(slo_reward(Sli::latency_p95, 0.2, 0.1), std::log(2));
  EXPECT_LT(slo_reward(Sli::failure_share, 0.001, 0.01), 0);
  EXPECT_TRUE(std::isnan(slo_reward(Sli::latency_spread, 1, 1)));
}

TEST(Sli, PoolingGivesBothGroupsTheSameWeightInEachWindow) {
  // A slow hour with little of the canary, then a fast one with much of it: both groups alike.
  SliWindow slow;
  slow.baseline = group({0, 0, 900, 0}, 90, 90);
  slow.canary = group({0, 0, 10, 0}, 1, 1);
  SliWindow fast;
  fast.baseline = group({100, 0, 0, 0}, 0, 1);
  fast.canary = group({100, 0, 0, 0}, 0, 1);
  SliWindow lost;
  lost.canary.outcome = WindowOutcome::counter_reset;
  const std::vector<SliWindow> series{slow, lost, fast};
  const std::vector<std::size_t> all{0, 1, 2};
  const PooledWindows pooled = pool_windows(series, all);
  EXPECT_EQ(pooled.baseline, pooled.canary);
  for (const Sli sli : kSlis) {
    EXPECT_DOUBLE_EQ(relative_reward(sli, sli_value(sli, kBounds, pooled.baseline),
                                     sli_value(sli, kBounds, pooled.canary)),
                     0)
        << to_string(sli);
  }
}

}  // namespace
}  // namespace hone
