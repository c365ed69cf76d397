// Hard limits and the error budget.
#include <gtest/gtest.h>

#include "server/rewards/error_budget.h"
#include "server/rewards/hard_limits.h"
#include "tests/support/traffic/simulated_traffic.h"

namespace hone {
namespace {

TEST(HardLimits, ABreachIsSeenInOneWindow) {
  SimulatedTraffic traffic({.canary_share = 0.25}, 1);
  const std::vector<SliWindow> slow{traffic.next([](double s, double) { return 4 * s; })};
  const std::vector<SliWindow> failing{traffic.next({}, 1, 0.1)};
  const std::vector<SliWindow> good{traffic.next()};
  const LimitSettings settings{.limits = {{Sli::latency_p99, 0.03}, {Sli::failure_share, 0.02}}};
  EXPECT_NE(breach(traffic.bounds(), slow, settings)->find("latency_p99"), std::string::npos);
  EXPECT_NE(breach(traffic.bounds(), failing, settings)->find("failure_share"), std::string::npos);
  EXPECT_FALSE(breach(traffic.bounds(), good, settings));
  EXPECT_FALSE(breach(traffic.bounds(), {}, settings));
}

TEST(HardLimits, ChanceAloneIsNoBreach) {
  // The limit is the indicator's own value: half of all windows lie above it.
  SimulatedTraffic traffic({.requests = 400, .wander = 0, .own_wander = 0, .failures = 0.02}, 2);
  const LimitSettings settings{
      .limits = {{Sli::latency_p95, 0.005 * std::exp(0.3 * 1.645)}, {Sli::failure_share, 0.02}}};
  int breaches = 0;
  for (int i = 0; i < 500; ++i) {
    const std::vector<SliWindow> series{traffic.next()};
    breaches += breach(traffic.bounds(), series, settings) ? 1 : 0;
  }
  EXPECT_LE(breaches, 5);
}

TEST(HardLimits, ACrashLoopIsABreachAndAMissingPrometheusIsNot) {
  SimulatedTraffic traffic({}, 3);
  std::vector<SliWindow> series{traffic.next(), traffic.next(), traffic.next()};
  series[0].canary.outcome = WindowOutcome::counter_reset;
  EXPECT_FALSE(breach(traffic.bounds(), series, {}));
  series[2].canary.outcome = WindowOutcome::scrape_gap;
  EXPECT_TRUE(breach(traffic.bounds(), series, {}));
  series[0].baseline.outcome = WindowOutcome::scrape_gap;
  EXPECT_FALSE(breach(traffic.bounds(), series, {}));
}

TEST(ErrorBudget, IsSpentAndComesBackWhenTheWindowMovesOn) {
  ErrorBudget budget({.good_share = 0.99, .window_seconds = 100}, 0);
  budget.add({.time = 10, .requests = 1000, .bad = 4, .bad_canary = 1});
  EXPECT_NEAR(budget.state(10).left_share, 0.6, 1e-9);
  budget.add({.time = 50, .requests = 1000, .bad = 17, .bad_canary = 15});
  BudgetState state = budget.state(50);
  EXPECT_TRUE(state.spent());
  EXPECT_EQ(state.bad_canary, 16);
  budget.add({.time = 120, .requests = 2000, .bad = 0});
  EXPECT_FALSE(budget.state(120).spent());
  state = budget.state(151);
  EXPECT_EQ(state.bad, 0);
  EXPECT_EQ(state.left_share, 1);
}

TEST(ErrorBudget, AFewRequestsDoNotSpendIt) {
  ErrorBudget budget({.good_share = 0.99, .window_seconds = 100});
  budget.add({.time = 1, .requests = 10, .bad = 1});
  EXPECT_FALSE(budget.state(1).spent());
}

}  // namespace
}  // namespace hone
