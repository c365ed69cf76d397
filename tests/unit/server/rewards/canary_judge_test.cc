// The judge on simulated traffic: equal canaries, planted harm, too little traffic, lost windows.
#include "server/rewards/canary_judge.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/traffic/simulated_traffic.h"

namespace hone {
namespace {

CanaryJudgement judge(const SimulatedTraffic& traffic, const std::vector<SliWindow>& series) {
  Result<CanaryJudgement> judgement =
      judge_canary(traffic.bounds(), series, {.rules = default_rules()});
  EXPECT_TRUE(judgement.has_value());
  return judgement.has_value() ? *judgement : CanaryJudgement{};
}

const SliJudgement& of(const CanaryJudgement& judgement, Sli sli) {
  for (const SliJudgement& each : judgement.slis) {
    if (each.rule.sli == sli) {
      return each;
    }
  }
  return judgement.slis.front();
}

// The look after which the canary was called worse; 0: never.
std::size_t called_worse(SimulatedTraffic traffic, std::size_t looks, const Harm& harm,
                         double cpu = 1, double failures = 0) {
  std::vector<SliWindow> series;
  for (std::size_t look = 1; look <= looks; ++look) {
    series.push_back(traffic.next(harm, cpu, failures));
    if (judge(traffic, series).finding == SliFinding::worse) {
      return look;
    }
  }
  return 0;
}

TEST(CanaryJudge, SeldomCallsAnEqualCanaryWorse) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    wrong += called_worse(SimulatedTraffic({.requests = 600}, seed), 30, {}) != 0 ? 1 : 0;
  }
  EXPECT_LE(wrong, 4);
}

TEST(CanaryJudge, RulesOutHarmOfAnEqualCanary) {
  SimulatedTraffic traffic({.canary_share = 0.5}, 7);
  std::vector<SliWindow> series;
  for (int i = 0; i < 60; ++i) {
    series.push_back(traffic.next());
  }
  const CanaryJudgement judgement = judge(traffic, series);
  EXPECT_EQ(judgement.finding, SliFinding::harmless) << judgement.reason;
  for (const SliJudgement& sli : judgement.slis) {
    EXPECT_GT(sli.reward.low, -sli.rule.tolerance) << to_string(sli.rule.sli);
    EXPECT_TRUE(sli.reward.contains(0)) << to_string(sli.rule.sli);
    EXPECT_GT(sli.detectable, 0);
  }
}

TEST(CanaryJudge, SeesASlowerTailWithTheMedianUnchanged) {
  EXPECT_NE(called_worse(SimulatedTraffic({}, 11), 25, slower_tail), 0U);
}

TEST(CanaryJudge, SeesFivePerCentMoreProcessorTime) {
  EXPECT_NE(called_worse(SimulatedTraffic({}, 12), 25, {}, 1.05), 0U);
}

TEST(CanaryJudge, SeesVarianceGrow) {
  EXPECT_NE(called_worse(SimulatedTraffic({}, 13), 15, wider(0.3)), 0U);
}

TEST(CanaryJudge, SeesFailures) {
  EXPECT_NE(called_worse(SimulatedTraffic({}, 14), 20, {}, 1, 0.02), 0U);
}

TEST(CanaryJudge, SeesABetterOne) {
  SimulatedTraffic traffic({.canary_share = 0.5}, 15);
  std::vector<SliWindow> series;
  for (int i = 0; i < 30; ++i) {
    series.push_back(traffic.next([](double seconds, double) { return seconds * 0.9; }, 0.9));
  }
  const CanaryJudgement judgement = judge(traffic, series);
  EXPECT_EQ(of(judgement, Sli::latency_p95).finding, SliFinding::better);
  EXPECT_NEAR(of(judgement, Sli::latency_p95).reward.estimate, -std::log(0.9), 0.02);
  EXPECT_EQ(of(judgement, Sli::cpu_per_request).finding, SliFinding::better);
}

TEST(CanaryJudge, TooLittleTrafficIsNoVerdict) {
  SimulatedTraffic traffic({.requests = 100, .canary_share = 0.05}, 16);
  std::vector<SliWindow> series;
  for (int i = 0; i < 20; ++i) {
    series.push_back(traffic.next());
  }
  const CanaryJudgement judgement = judge(traffic, series);
  EXPECT_EQ(of(judgement, Sli::latency_p99).finding, SliFinding::insufficient_traffic);
  EXPECT_EQ(judgement.finding, SliFinding::insufficient_traffic);
  EXPECT_NE(judgement.reason.find("takes 400 requests"), std::string::npos) << judgement.reason;
}

TEST(CanaryJudge, LostWindowsAreCountedAndLeftOut) {
  SimulatedTraffic traffic({.canary_share = 0.5}, 17);
  std::vector<SliWindow> series;
  for (int i = 0; i < 20; ++i) {
    series.push_back(traffic.next());
  }
  series[3].canary = {.outcome = WindowOutcome::counter_reset};
  series[5].baseline = {.outcome = WindowOutcome::scrape_gap};
  series[6].canary = {.outcome = WindowOutcome::no_data};
  const CanaryJudgement judgement = judge(traffic, series);
  EXPECT_EQ(judgement.slis.front().windows, 17U);
  EXPECT_EQ(judgement.left_out.at(WindowOutcome::counter_reset), 1U);
  EXPECT_EQ(judgement.left_out.at(WindowOutcome::scrape_gap), 1U);
  EXPECT_EQ(judgement.left_out.at(WindowOutcome::no_data), 1U);
}

TEST(CanaryJudge, NothingKnownIsNoData) {
  const SimulatedTraffic traffic({}, 18);
  std::vector<SliWindow> series(3);
  for (SliWindow& window : series) {
    window.canary.outcome = WindowOutcome::no_data;
    window.baseline.outcome = WindowOutcome::no_data;
  }
  EXPECT_EQ(judge(traffic, series).finding, SliFinding::no_data);
  EXPECT_EQ(judge(traffic, {}).finding, SliFinding::no_data);
}

TEST(CanaryJudge, EqualWindowsProveNothing) {
  // Exactly the same in every window: no error can be told, so nothing is sure.
  SimulatedTraffic traffic({.canary_share = 0.5}, 19);
  SliWindow window = traffic.next();
  window.canary.cpu_seconds = window.baseline.cpu_seconds * 3;
  const CanaryJudgement judgement = judge(traffic, std::vector<SliWindow>(20, window));
  EXPECT_EQ(of(judgement, Sli::cpu_per_request).finding, SliFinding::undecided);
}

TEST(CanaryJudge, NoFailuresInFewRequestsAreNoProof) {
  SimulatedTraffic traffic({.requests = 40, .canary_share = 0.5, .failures = 0}, 20);
  std::vector<SliWindow> series;
  for (int i = 0; i < 12; ++i) {
    series.push_back(traffic.next());
  }
  EXPECT_EQ(of(judge(traffic, series), Sli::failure_share).finding, SliFinding::undecided);
  for (int i = 0; i < 60; ++i) {
    series.push_back(traffic.next());
  }
  EXPECT_EQ(of(judge(traffic, series), Sli::failure_share).finding, SliFinding::harmless);
}

TEST(CanaryJudge, RefusesSettingsOutOfRange) {
  const BucketBounds bounds{0.1};
  EXPECT_FALSE(judge_canary(bounds, {}, {}));
  EXPECT_FALSE(judge_canary(bounds, {}, {.rules = default_rules(), .alpha = 0}));
  EXPECT_FALSE(judge_canary(BucketBounds{}, {}, {.rules = default_rules()}));
  SliWindow narrow;
  narrow.baseline.latencies = {1};
  narrow.canary.latencies = {1};
  EXPECT_FALSE(judge_canary(bounds, std::vector<SliWindow>{narrow}, {.rules = default_rules()}));
}

}  // namespace
}  // namespace hone
