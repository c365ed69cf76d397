#include "staging/verdict/self_check.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/unit/staging/verdict/fake_bench.h"

namespace hone {
namespace {

// Half a second or so; the candidate would be far slower.
FakeBench::Make noisy(double noise) {
  auto random = std::make_shared<Random>(11);
  return [=](SampleRole role, std::size_t, int) {
    return took((role == SampleRole::candidate ? 5 : 0.5) *
                (1 + noise * (random->uniform() - 0.5)));
  };
}

TEST(SelfCheck, OnlyTheBaselineRunsAndNoDifferenceIsFound) {
  FakeBench bench(noisy(0.01));
  const std::optional<SelfCheck> check = self_check(bench, {}, {});
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->verdict, Verdict::no_change);
  EXPECT_NEAR(check->reward.value, 0, 0.01);
  EXPECT_NEAR(check->baseline_value, 0.5, 0.01);
  EXPECT_TRUE(std::ranges::all_of(
      bench.log, [](const BenchRun& run) { return run.role == SampleRole::baseline; }));
}

TEST(SelfCheck, ChecksAreNotRunAgain) {
  FakeBench bench(noisy(0.01));
  ComparisonPlan plan;
  plan.benchmark.checks = {{.name = "tests", .command = {"test"}}};
  ASSERT_TRUE(self_check(bench, plan, {}).has_value());
  EXPECT_TRUE(std::ranges::all_of(bench.log, [](const BenchRun& run) { return run.input == 0; }));
}

TEST(SelfCheck, SaysThatAMachineIsTooNoisy) {
  FakeBench bench(noisy(1.5));
  const std::optional<SelfCheck> check = self_check(bench, {}, {});
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->verdict, Verdict::too_noisy);
}

TEST(SelfCheck, AFailingBenchmarkHasNone) {
  FakeBench bench([](SampleRole, std::size_t, int) { return broke(RunClass::failed, "died"); });
  EXPECT_FALSE(self_check(bench, {}, {}).has_value());
}

}  // namespace
}  // namespace hone
