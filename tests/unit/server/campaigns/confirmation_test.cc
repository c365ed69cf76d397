#include "server/campaigns/confirmation.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using Kind = ConfirmationStep::Kind;

RewardEstimate reward(double low, double value) {
  return {.value = value, .low = low, .high = 2 * value - low, .pairs = 24};
}

CandidateJob ended(Outcome outcome, std::optional<Verdict> verdict = {},
                   std::optional<RewardEstimate> measured = {}) {
  CandidateJob job;
  job.id = "job";
  job.state = JobState::done;
  job.outcome = outcome;
  job.verdict = verdict;
  job.reward = measured;
  job.reason = outcome == Outcome::ok ? "" : "why";
  return job;
}

CandidateJob in_state(JobState state) {
  CandidateJob job;
  job.state = state;
  return job;
}

CandidateView candidate(const std::string& id, std::optional<CandidateJob> race,
                        std::optional<CandidateJob> confirm = {}) {
  CandidateView view;
  view.candidate.id = id;
  view.race = std::move(race);
  view.confirm = std::move(confirm);
  return view;
}

CandidateView raced(const std::string& id, double low, std::optional<CandidateJob> confirm = {}) {
  return candidate(id, ended(Outcome::ok, Verdict::faster, reward(low, low + 0.01)),
                   std::move(confirm));
}

std::vector<std::string> ids(const std::vector<const CandidateView*>& views) {
  std::vector<std::string> list;
  for (const CandidateView* view : views) {
    list.push_back(view->candidate.id);
  }
  return list;
}

const CandidateJob kConfirmed = ended(Outcome::ok, Verdict::faster, reward(0.010, 0.015));
const CandidateJob kNotConfirmed = ended(Outcome::ok, Verdict::inconclusive, reward(-0.01, 0.001));

TEST(Finalists, AreTheThreeBestByTheLowerEnd) {
  const std::vector<CandidateView> candidates = {
      raced("a", 0.01),
      raced("b", 0.04),
      raced("c", 0.02),
      raced("d", 0.03),
      candidate("slow", ended(Outcome::ok, Verdict::slower, reward(-0.5, -0.4))),
      candidate("broken", ended(Outcome::miscompiled)),
      candidate("unraced", {})};
  EXPECT_EQ(ids(finalists(candidates)), (std::vector<std::string>{"b", "d", "c"}));
}

TEST(Finalists, AWideIntervalDoesNotWinByItsMiddle) {
  const std::vector<CandidateView> candidates = {
      candidate("noisy", ended(Outcome::ok, Verdict::faster, reward(0.001, 0.2))),
      candidate("sure", ended(Outcome::ok, Verdict::faster, reward(0.02, 0.03)))};
  EXPECT_EQ(ids(finalists(candidates)), (std::vector<std::string>{"sure", "noisy"}));
}

TEST(Finalists, WithoutAFasterOneTheIntervalsAboveZeroCount) {
  const std::vector<CandidateView> candidates = {
      candidate("small", ended(Outcome::ok, Verdict::within_noise, reward(0.001, 0.004))),
      candidate("none", ended(Outcome::ok, Verdict::no_change, reward(-0.001, 0.001)))};
  EXPECT_EQ(ids(finalists(candidates)), std::vector<std::string>{"small"});
  // But not beside a faster one.
  std::vector<CandidateView> more = candidates;
  more.push_back(raced("fast", 0.02));
  EXPECT_EQ(ids(finalists(more)), std::vector<std::string>{"fast"});
}

TEST(Finalists, AreThoseThatTheProposerNamedIfTheyHaveAReward) {
  std::vector<CandidateView> candidates = {
      raced("best-of-the-race", 0.05),
      candidate("second", ended(Outcome::ok, Verdict::inconclusive, reward(-0.01, 0.04))),
      candidate("failed", ended(Outcome::miscompiled, std::nullopt, std::nullopt)),
      candidate("first", ended(Outcome::ok, Verdict::inconclusive, reward(-0.02, 0.03)))};
  candidates[1].finalist = 3;
  candidates[2].finalist = 2;
  candidates[3].finalist = 1;
  EXPECT_EQ(ids(finalists(candidates)), (std::vector<std::string>{"first", "second"}));
}

TEST(Finalists, EqualBinariesCountOnce) {
  const std::vector<CandidateView> candidates = {raced("a", 0.04), raced("b", 0.04),
                                                 raced("c", 0.03), raced("d", 0.02)};
  EXPECT_EQ(ids(finalists(candidates)), (std::vector<std::string>{"a", "c", "d"}));
}

TEST(AdjustedLow, WidensByTheNormalQuantiles) {
  const RewardEstimate measured = reward(0.01, 0.03);
  EXPECT_DOUBLE_EQ(adjusted_low(measured, 1), 0.01);
  // z(0.975) = 1.95996, z(0.9875) = 2.24140, z(0.99167) = 2.39398
  EXPECT_NEAR(adjusted_low(measured, 2), 0.03 - 0.02 * 2.24140 / 1.95996, 1e-6);
  EXPECT_NEAR(adjusted_low(measured, 3), 0.03 - 0.02 * 2.39398 / 1.95996, 1e-6);
}

TEST(NextStep, ConfirmsBestFirstOneAfterTheOther) {
  std::vector<CandidateView> candidates = {raced("second", 0.02), raced("first", 0.04),
                                           raced("third", 0.01)};
  EXPECT_EQ(next_step(candidates).kind, Kind::submit);
  EXPECT_EQ(next_step(candidates).candidate, "first");
  candidates[1].confirm = in_state(JobState::queued);
  EXPECT_EQ(next_step(candidates).kind, Kind::wait);
  candidates[1].confirm = in_state(JobState::leased);
  EXPECT_EQ(next_step(candidates).kind, Kind::wait);
  candidates[1].confirm = kNotConfirmed;
  EXPECT_EQ(next_step(candidates).kind, Kind::submit);
  EXPECT_EQ(next_step(candidates).candidate, "second");
  candidates[0].confirm = kConfirmed;
  EXPECT_EQ(next_step(candidates).kind, Kind::win);
  EXPECT_EQ(next_step(candidates).candidate, "second");
}

TEST(NextStep, ConfirmationThatFailsOrIsLostGoesOnToTheNext) {
  for (const CandidateJob& lost :
       {in_state(JobState::dead), in_state(JobState::cancelled), ended(Outcome::miscompiled)}) {
    const std::vector<CandidateView> candidates = {raced("first", 0.04, lost),
                                                   raced("second", 0.02)};
    EXPECT_EQ(next_step(candidates).kind, Kind::submit);
    EXPECT_EQ(next_step(candidates).candidate, "second");
  }
}

TEST(StepWhenLate, OnlyWhoWasConfirmedByThenWins) {
  const std::string deadline = "2026-11-29T12:00:00Z";
  const std::string reason = deadline_reason(deadline);
  const ConfirmationStep won =
      step_when_late(next_step({raced("first", 0.04, kConfirmed)}), deadline);
  EXPECT_EQ(won.kind, Kind::win);
  EXPECT_EQ(won.candidate, "first");
  CandidateJob late = in_state(JobState::dead);
  late.late = true;
  late.reason = reason;
  EXPECT_EQ(step_when_late(next_step({candidate("a", late)}), deadline).reason,
            reason + "; no candidate could be measured")
      << "told once";
  const ConfirmationStep unconfirmed = step_when_late(next_step({raced("first", 0.04)}), deadline);
  EXPECT_EQ(unconfirmed.kind, Kind::no_winner) << "nothing is measured any more";
  EXPECT_TRUE(unconfirmed.reason.starts_with(reason)) << unconfirmed.reason;
  const ConfirmationStep unmeasured =
      step_when_late(next_step({candidate("a", in_state(JobState::dead))}), deadline);
  EXPECT_EQ(unmeasured.kind, Kind::failed);
  EXPECT_TRUE(unmeasured.reason.starts_with(reason)) << unmeasured.reason;
  const ConfirmationStep refuted =
      step_when_late(next_step({raced("first", 0.04, kNotConfirmed)}), deadline);
  EXPECT_EQ(refuted.kind, Kind::no_winner);
  EXPECT_TRUE(refuted.reason.starts_with(reason)) << refuted.reason;
}

TEST(NextStep, NobodyConfirmedIsANormalEnd) {
  const std::vector<CandidateView> candidates = {
      raced("a", 0.04, kNotConfirmed), raced("b", 0.03, kNotConfirmed),
      raced("c", 0.02, in_state(JobState::dead)), raced("d", 0.01)};
  const ConfirmationStep step = next_step(candidates);
  EXPECT_EQ(step.kind, Kind::no_winner);
  EXPECT_NE(step.reason.find("3 best"), std::string::npos);
}

TEST(NextStep, AConfirmationMustHoldForAllFinalistsTogether) {
  // 95 % interval [0.001, 0.019]: enough alone, not as one of three.
  const CandidateJob borderline = ended(Outcome::ok, Verdict::faster, reward(0.001, 0.010));
  EXPECT_EQ(next_step({raced("a", 0.04, borderline)}).kind, Kind::win);
  EXPECT_EQ(next_step({raced("a", 0.04, borderline), raced("b", 0.03, kNotConfirmed),
                       raced("c", 0.02, kNotConfirmed)})
                .kind,
            Kind::no_winner);
}

TEST(NextStep, NoFasterCandidateIsANormalEnd) {
  const ConfirmationStep step =
      next_step({candidate("a", ended(Outcome::ok, Verdict::no_change, reward(-0.01, 0))),
                 candidate("b", ended(Outcome::build_failed))});
  EXPECT_EQ(step.kind, Kind::no_winner);
  EXPECT_NE(step.reason.find("1 measured"), std::string::npos);
}

TEST(NextStep, NothingComparableIsAFailureWithItsReason) {
  const ConfirmationStep step = next_step(
      {candidate("a", in_state(JobState::dead)), candidate("b", ended(Outcome::baseline_failed))});
  EXPECT_EQ(step.kind, Kind::failed);
  EXPECT_NE(step.reason.find("baseline_failed: why"), std::string::npos);
  EXPECT_EQ(next_step({}).kind, Kind::failed);
  // Candidates that broke by themselves say something about the candidates.
  EXPECT_EQ(next_step({candidate("a", ended(Outcome::compiler_crashed))}).kind, Kind::no_winner);
}

}  // namespace
}  // namespace hone
