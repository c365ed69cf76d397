#include "server/campaigns/succession.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;
using Kind = SuccessionStep::Kind;

RewardEstimate reward(double value, double half) {
  return {.value = value, .low = value - half, .high = value + half, .pairs = 24};
}

CandidateJob done(Outcome outcome, std::optional<Verdict> verdict = {},
                  std::optional<RewardEstimate> measured = {}) {
  CandidateJob job;
  job.state = JobState::done;
  job.outcome = outcome;
  job.verdict = verdict;
  job.reward = measured;
  job.reason = outcome == Outcome::ok ? "" : "why";
  return job;
}

CandidateView winner(double value, double half) {
  CandidateView view;
  view.candidate.id = "winner";
  view.confirm = done(Outcome::ok, Verdict::faster, reward(value, half));
  return view;
}

CandidateView current(CandidateJob job) {
  CandidateView view;
  view.candidate.origin = kCurrentPolicy;
  view.candidate.note = "policy version 3";
  view.confirm = std::move(job);
  return view;
}

TEST(Difference, AddsTheSquaresOfTheHalfWidths) {
  const RewardEstimate made = difference(reward(0.05, 0.003), reward(0.02, 0.004));
  EXPECT_NEAR(made.value, 0.03, 1e-12);
  EXPECT_NEAR(made.low, 0.025, 1e-12);
  EXPECT_NEAR(made.high, 0.035, 1e-12);
}

TEST(Succession, TakesThePlaceIfItIsSurelyBetter) {
  const CandidateView rival = current(done(Outcome::ok, Verdict::faster, reward(0.02, 0.004)));
  const SuccessionStep better = decide_succession(winner(0.05, 0.003), rival, 1);
  EXPECT_EQ(better.kind, Kind::publish);
  EXPECT_THAT(better.reason, HasSubstr("policy version 3"));
  EXPECT_THAT(better.reason, HasSubstr("+0.0300 [+0.0250, +0.0350] more"));
  // Far above the baseline, and no better than what is in force.
  const SuccessionStep equal = decide_succession(winner(0.024, 0.003), rival, 1);
  EXPECT_EQ(equal.kind, Kind::keep);
  EXPECT_THAT(equal.reason, HasSubstr("not surely"));
  EXPECT_EQ(decide_succession(winner(0.01, 0.003), rival, 1).kind, Kind::keep);
}

TEST(Succession, TestingThreeFinalistsTakesMore) {
  const CandidateView rival = current(done(Outcome::ok, Verdict::faster, reward(0.02, 0.001)));
  EXPECT_EQ(decide_succession(winner(0.0235, 0.0032), rival, 1).kind, Kind::publish);
  EXPECT_EQ(decide_succession(winner(0.0235, 0.0032), rival, 3).kind, Kind::keep);
}

TEST(Succession, ABoundThatIsNoNumberIsNotAboveZero) {
  const CandidateView rival = current(done(Outcome::ok, Verdict::faster, reward(0.02, NAN)));
  EXPECT_EQ(decide_succession(winner(0.05, 0.003), rival, 1).kind, Kind::keep);
}

TEST(Succession, WhatIsInForceMayBeTheBaselineOrFailToday) {
  EXPECT_EQ(
      decide_succession(winner(0.05, 0.003), current(done(Outcome::ok, Verdict::no_change)), 1)
          .kind,
      Kind::publish)
      << "equal binaries";
  const SuccessionStep broken =
      decide_succession(winner(0.05, 0.003), current(done(Outcome::miscompiled)), 1);
  EXPECT_EQ(broken.kind, Kind::publish);
  EXPECT_THAT(broken.reason, HasSubstr("miscompiled"));
}

TEST(Succession, WhatCouldNotBeMeasuredIsNotBeaten) {
  for (const Outcome outcome :
       {Outcome::baseline_failed, Outcome::benchmark_failed, Outcome::nondeterministic}) {
    const SuccessionStep step = decide_succession(winner(0.05, 0.003), current(done(outcome)), 1);
    EXPECT_EQ(step.kind, Kind::keep) << to_string(outcome);
    EXPECT_THAT(step.reason, HasSubstr("could not be measured"));
  }
  EXPECT_EQ(
      decide_succession(winner(0.05, 0.003), current(done(Outcome::ok, Verdict::too_noisy)), 1)
          .kind,
      Kind::keep);
  CandidateJob dead;
  dead.state = JobState::dead;
  EXPECT_EQ(decide_succession(winner(0.05, 0.003), current(dead), 1).kind, Kind::keep);
}

TEST(Succession, WaitsForTheMeasurement) {
  CandidateJob running;
  running.state = JobState::leased;
  EXPECT_EQ(decide_succession(winner(0.05, 0.003), current(running), 1).kind, Kind::wait);
}

}  // namespace
}  // namespace hone
