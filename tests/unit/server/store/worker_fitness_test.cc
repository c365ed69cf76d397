#include "server/store/worker_fitness.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hone {
namespace {

SelfCheck check(Verdict verdict, double baseline_value = 0.5) {
  SelfCheck made;
  made.verdict = verdict;
  made.reward.value = 0.02;
  made.reward.low = 0.01;
  made.reward.high = 0.03;
  made.reward.noise = 0.1;
  made.baseline_value = baseline_value;
  return made;
}

TEST(WorkerFitness, OneFalseCallMayBeChanceTwoAreNot) {
  const Fitness first = fitness_after(check(Verdict::faster), {});
  EXPECT_EQ(first.bad_in_a_row, 1);
  EXPECT_TRUE(first.unfit_reason.empty());
  const Fitness second = fitness_after(check(Verdict::slower), {.bad_in_a_row = 1});
  EXPECT_EQ(second.bad_in_a_row, 2);
  EXPECT_NE(second.unfit_reason.find("last 2 comparisons"), std::string::npos);
  EXPECT_NE(second.unfit_reason.find("+2.0 % [+1.0 %, +3.0 %]"), std::string::npos)
      << second.unfit_reason;
}

TEST(WorkerFitness, AGoodCheckEndsTheCount) {
  for (const Verdict verdict : {Verdict::no_change, Verdict::within_noise, Verdict::inconclusive}) {
    const Fitness fitness = fitness_after(check(verdict), {.bad_in_a_row = 5});
    EXPECT_EQ(fitness.bad_in_a_row, 0);
    EXPECT_TRUE(fitness.unfit_reason.empty());
  }
}

TEST(WorkerFitness, ANoisyWorkerIsUnfitOnlyWhereOthersAreNot) {
  EXPECT_EQ(fitness_after(check(Verdict::too_noisy), {.bad_in_a_row = 1}).bad_in_a_row, 0);
  const Fitness unfit =
      fitness_after(check(Verdict::too_noisy), {.bad_in_a_row = 1, .others_are_fit = true});
  EXPECT_EQ(unfit.bad_in_a_row, 2);
  EXPECT_NE(unfit.unfit_reason.find("varies by +10.5 %"), std::string::npos) << unfit.unfit_reason;
}

TEST(WorkerFitness, DriftIsAgainstTheCheckBefore) {
  EXPECT_FALSE(fitness_after(check(Verdict::no_change), {}).drift.has_value());
  const Fitness fitness = fitness_after(check(Verdict::no_change, 0.55), {.baseline_value = 0.5});
  ASSERT_TRUE(fitness.drift.has_value());
  EXPECT_NEAR(*fitness.drift, std::log(1.1), 1e-12);
}

}  // namespace
}  // namespace hone
