// The canary's state machine: its ways, and a property test over random ones.
#include "server/canaries/canary_machine.h"

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace hone {
namespace {

const RampPlan kPlan{.steps = {1, 5, 25}, .step_windows = 3, .most_windows = 8, .most_lost = 2};

CanaryInterval seen(SliFinding finding) {
  return {.window_known = true, .finding = finding, .finding_reason = "as found"};
}

CanaryStatus after(CanaryStatus status, const CanaryInterval& interval, int times,
                   const RampPlan& plan = kPlan) {
  for (int i = 0; i < times; ++i) {
    status = after_interval(plan, std::move(status), interval);
  }
  return status;
}

TEST(CanaryMachine, RampsStepByStepAndIsPromoted) {
  CanaryStatus status = after({}, seen(SliFinding::undecided), 1);
  EXPECT_EQ(status.state, CanaryState::ramping);
  EXPECT_EQ(status.share, 1);
  status = after(status, seen(SliFinding::undecided), 3);
  EXPECT_EQ(status.share, 5);
  status = after(status, seen(SliFinding::insufficient_traffic), 3);
  EXPECT_EQ(status.share, 25);
  status = after(status, seen(SliFinding::undecided), 5);
  EXPECT_EQ(status.state, CanaryState::ramping);
  status = after(status, seen(SliFinding::harmless), 1);
  EXPECT_EQ(status.state, CanaryState::judged);
  EXPECT_EQ(status.share, 25);
  status = after(status, seen(SliFinding::harmless), 1);
  EXPECT_EQ(status.state, CanaryState::promoted);
  EXPECT_EQ(status.share, 100);
}

TEST(CanaryMachine, HarmEndsItAnywhere) {
  for (int windows = 1; windows < 12; ++windows) {
    const CanaryStatus status = after({}, seen(SliFinding::harmless), windows);
    if (!has_ended(status.state)) {
      const CanaryStatus worse = after(status, seen(SliFinding::worse), 1);
      EXPECT_EQ(worse.state, CanaryState::rolled_back) << windows;
      EXPECT_EQ(worse.share, 0);
      EXPECT_EQ(worse.reason, "as found");
      CanaryInterval breach = seen(SliFinding::harmless);
      breach.breach = Breach{"too many failures"};
      EXPECT_EQ(after(status, breach, 1).reason, "too many failures");
    }
  }
}

TEST(CanaryMachine, HarmNotRuledOutIsNoPass) {
  const CanaryStatus status = after({}, seen(SliFinding::undecided), 1 + 3 + 3 + 8);
  EXPECT_EQ(status.state, CanaryState::rolled_back);
  EXPECT_NE(status.reason.find("not ruled out"), std::string::npos);
}

TEST(CanaryMachine, LostWindowsDoNotCountAndEndIt) {
  CanaryInterval lost;
  lost.finding_reason = "no_data";
  CanaryStatus status = after({}, seen(SliFinding::undecided), 2);
  status = after(status, lost, 1);
  EXPECT_EQ(status.step_windows, 1U);
  status = after(status, seen(SliFinding::undecided), 1);
  EXPECT_EQ(status.lost_windows, 0U);
  EXPECT_EQ(after(status, lost, 2).state, CanaryState::rolled_back);
}

TEST(CanaryMachine, WindowsOfAnotherShareDoNotCount) {
  CanaryInterval elsewhere = seen(SliFinding::harmless);
  elsewhere.traffic_follows = false;
  const CanaryStatus status = after(after({}, elsewhere, 1), elsewhere, 20);
  EXPECT_EQ(status.share, 1);
  EXPECT_EQ(status.step_windows, 0U);
}

TEST(CanaryMachine, ASpentBudgetStopsExploration) {
  CanaryInterval spent = seen(SliFinding::harmless);
  spent.budget_left = false;
  const CanaryStatus waiting = after({}, spent, 3);
  EXPECT_EQ(waiting.state, CanaryState::prepared);
  EXPECT_EQ(waiting.share, 0);
  EXPECT_EQ(after(waiting, seen(SliFinding::undecided), 1).state, CanaryState::ramping);
  EXPECT_EQ(after(after({}, seen(SliFinding::undecided), 2), spent, 1).state,
            CanaryState::rolled_back);
}

TEST(CanaryMachine, AnUnknownBudgetIsAsGoodAsSpent) {
  CanaryInterval unknown = seen(SliFinding::harmless);
  unknown.budget_known = false;
  EXPECT_EQ(after({}, unknown, 3).state, CanaryState::prepared);
  const CanaryStatus withdrawn = after(after({}, seen(SliFinding::undecided), 2), unknown, 1);
  EXPECT_EQ(withdrawn.state, CanaryState::rolled_back);
  EXPECT_EQ(withdrawn.cause, CanaryCause::budget);
  EXPECT_FALSE(is_its_own_fault(withdrawn.cause));
}

TEST(CanaryMachine, WhatMayNotBePutInForceWaits) {
  CanaryInterval unsigned_yet = seen(SliFinding::harmless);
  unsigned_yet.obstacle = "not signed";
  const CanaryStatus status = after({}, unsigned_yet, 30);
  EXPECT_EQ(status.state, CanaryState::judged);
  EXPECT_EQ(status.reason, "waits: not signed");
  EXPECT_EQ(status.share, 25);
  EXPECT_EQ(after(status, seen(SliFinding::harmless), 1).state, CanaryState::promoted);
  EXPECT_EQ(after(status, seen(SliFinding::worse), 1).state, CanaryState::rolled_back);
}

TEST(CanaryMachine, WaitsForApprovalAndGoesOnWatching) {
  RampPlan plan = kPlan;
  plan.approval = Approval::by_hand;
  CanaryStatus status = after({}, seen(SliFinding::harmless), 30, plan);
  EXPECT_EQ(status.state, CanaryState::judged);
  EXPECT_EQ(status.share, 25);
  EXPECT_EQ(after(status, seen(SliFinding::worse), 1, plan).state, CanaryState::rolled_back);
  EXPECT_EQ(approved(status, "ann")->state, CanaryState::promoted);
  EXPECT_FALSE(approved(CanaryStatus{}, "ann"));
  EXPECT_EQ(ended_by_hand(status, "ann", "no")->state, CanaryState::aborted);
  EXPECT_FALSE(ended_by_hand(*ended_by_hand(status, "ann", "no"), "ann", "again"));
}

TEST(CanaryMachine, DoesNotWaitForEver) {
  RampPlan plan = kPlan;
  plan.approval = Approval::by_hand;
  plan.most_waiting = 5;
  const CanaryStatus judged = after({}, seen(SliFinding::harmless), 1 + 3 * 3, plan);
  ASSERT_EQ(judged.state, CanaryState::judged);
  EXPECT_EQ(after(judged, seen(SliFinding::harmless), 4, plan).state, CanaryState::judged);
  const CanaryStatus ended = after(judged, seen(SliFinding::harmless), 5, plan);
  EXPECT_EQ(ended.state, CanaryState::rolled_back);
  EXPECT_EQ(ended.cause, CanaryCause::undecided);
  EXPECT_NE(ended.reason.find("waited 5 windows in vain"), std::string::npos);
  plan.approval = Approval::automatic;
  CanaryInterval unsigned_yet = seen(SliFinding::harmless);
  unsigned_yet.obstacle = "not signed";
  const CanaryStatus never = after({}, unsigned_yet, 1 + 3 * 3 + 5, plan);
  EXPECT_EQ(never.state, CanaryState::rolled_back);
  EXPECT_NE(never.reason.find("not signed"), std::string::npos);
}

CanaryInterval random_interval(Random& random) {
  static constexpr SliFinding kFindings[] = {SliFinding::better,
                                             SliFinding::harmless,
                                             SliFinding::harmless,
                                             SliFinding::undecided,
                                             SliFinding::insufficient_traffic,
                                             SliFinding::no_data,
                                             SliFinding::worse};
  CanaryInterval interval;
  interval.window_known = random.chance(9, 10);
  // Harm is rare, so that many ways get far.
  interval.finding = kFindings[random.chance(1, 10) ? random.below(7) : random.below(5)];
  interval.finding_reason = "random";
  if (random.chance(1, 60)) {
    interval.breach = Breach{"random"};
  }
  interval.budget_left = random.chance(79, 80);
  interval.budget_known = random.chance(79, 80);
  if (random.chance(1, 10)) {
    interval.obstacle = "random";
  }
  interval.traffic_follows = random.chance(9, 10);
  return interval;
}

// What must hold of every step of every way.
void expect_legal(const RampPlan& plan, const CanaryStatus& before, const CanaryInterval& interval,
                  const CanaryStatus& now) {
  if (has_ended(before.state)) {
    EXPECT_EQ(now, before);
    return;
  }
  if (now.state == CanaryState::promoted) {
    EXPECT_EQ(before.state, CanaryState::judged);
    EXPECT_TRUE(interval.finding == SliFinding::harmless || interval.finding == SliFinding::better);
    EXPECT_FALSE(interval.obstacle);
    EXPECT_EQ(now.share, 100);
  } else if (has_ended(now.state) || now.state == CanaryState::prepared) {
    EXPECT_EQ(now.share, 0);
  } else {
    EXPECT_EQ(now.share, plan.steps[now.step]);
    EXPECT_LE(now.step, before.state == CanaryState::prepared ? 0 : before.step + 1);
    if (now.step > before.step) {
      EXPECT_GE(before.step_windows + 1, plan.step_windows);
    }
  }
  if (now.state == CanaryState::judged && before.state != CanaryState::judged) {
    EXPECT_EQ(before.step + 1, plan.steps.size());
    EXPECT_TRUE(interval.finding == SliFinding::harmless || interval.finding == SliFinding::better);
  }
  if (interval.finding == SliFinding::worse || interval.breach || !interval.budget_left ||
      !interval.budget_known) {
    EXPECT_TRUE(before.state == CanaryState::prepared || now.share == 0);
    EXPECT_TRUE(now.state == CanaryState::prepared || now.cause != CanaryCause::none ||
                before.state == CanaryState::prepared);
  }
  EXPECT_FALSE(now.reason.empty());
}

TEST(CanaryMachine, NoWayServesAnUnjudgedCanaryAboveItsRamp) {
  Random random(1);
  std::size_t promotions = 0;
  for (int way = 0; way < 4000; ++way) {
    RampPlan plan = kPlan;
    plan.approval = random.chance(1, 2) ? Approval::automatic : Approval::by_hand;
    plan.step_windows = 1 + random.below(4);
    CanaryStatus status;
    for (int i = 0; i < 60 && !HasFailure(); ++i) {
      const CanaryInterval interval = random_interval(random);
      const CanaryStatus now = after_interval(plan, status, interval);
      expect_legal(plan, status, interval, now);
      status = now;
      if (random.chance(1, 20)) {
        const Result<CanaryStatus> taken =
            random.chance(1, 4) ? ended_by_hand(status, "ann", "tired") : approved(status, "ann");
        EXPECT_TRUE(!taken || taken->state == CanaryState::aborted ||
                    status.state == CanaryState::judged);
        status = taken ? *taken : status;
      }
    }
    promotions += status.state == CanaryState::promoted ? 1 : 0;
  }
  EXPECT_GT(promotions, 100U);  // else nothing was tried
}

}  // namespace
}  // namespace hone
