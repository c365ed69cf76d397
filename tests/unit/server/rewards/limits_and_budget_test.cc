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

TEST(ErrorBudget, IsWhatTheObjectiveLeaves) {
  const ServiceObjective objective{.good_share = 0.99};
  BudgetState state = budget_state(objective, {.all = 2000, .bad = 5, .bad_canary = 1});
  EXPECT_NEAR(state.allowed, 20, 1e-9);
  EXPECT_NEAR(state.left_share, 0.75, 1e-9);
  EXPECT_FALSE(state.spent());
  EXPECT_TRUE(budget_state(objective, {.all = 2000, .bad = 20}).spent());
  EXPECT_LT(budget_state(objective, {.all = 2000, .bad = 40}).left_share, 0);
}

TEST(ErrorBudget, AFewRequestsDoNotSpendIt) {
  EXPECT_FALSE(budget_state({.good_share = 0.99}, {.all = 10, .bad = 1}).spent());
  EXPECT_FALSE(budget_state({}, {}).spent());
}

}  // namespace
}  // namespace hone
