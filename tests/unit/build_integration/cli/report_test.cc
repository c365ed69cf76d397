#include "build_integration/cli/report.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/job_text.h"

namespace hone {
namespace {

RewardEstimate reward(double percent, std::int64_t pairs) {
  RewardEstimate estimate;
  estimate.value = std::log1p(percent / 100);
  estimate.low = estimate.value - 0.008;
  estimate.high = estimate.value + 0.008;
  estimate.pairs = pairs;
  return estimate;
}

Candidate candidate(std::string id, std::int64_t index, std::string note) {
  Candidate made;
  made.id = std::move(id);
  made.index = index;
  made.origin = "knob";
  made.note = std::move(note);
  return made;
}

JobView done(const std::string& candidate, Stage stage, Outcome outcome) {
  JobView job;
  job.id = "job-" + candidate + "-" + std::string(to_string(stage));
  job.candidate = candidate;
  job.stage = stage;
  job.state = JobState::done;
  job.outcome = outcome;
  job.attempts = {AttemptView{"attempt-" + job.id, 1, "w", AttemptState::completed, "", "", ""}};
  job.result.emplace();
  job.result->outcome = outcome;
  return job;
}

JobView measured(const std::string& candidate, Stage stage, double percent, std::int64_t pairs,
                 Verdict verdict) {
  JobView job = done(candidate, stage, Outcome::ok);
  job.reward = reward(percent, pairs);
  job.verdict = verdict;
  job.result->samples.resize(static_cast<std::size_t>(2 * pairs));
  job.result->decisions = {EffectiveDecision{"a.c", "a.o", "", "h", true, true, "", {}}};
  return job;
}

JobView failed(const std::string& candidate, Outcome outcome, std::string reason) {
  JobView job = done(candidate, Stage::race, outcome);
  job.reason = std::move(reason);
  job.result->decisions = {EffectiveDecision{"a.c", "a.o", "", "", false, true, "crashed", {}},
                           EffectiveDecision{"b.c", "b.o", "", "", false, false, "no_rule", {}}};
  return job;
}

CampaignView campaign() {
  CampaignView view;
  view.id = "c1";
  view.target = "lz4";
  view.state = CampaignState::finished;
  view.budget_candidates = 3;
  view.winner_candidate = "b";
  view.confirmed = reward(1.9, 48);
  view.policy_version = 1;
  return view;
}

CampaignReport report() {
  return make_report(
      campaign(),
      {candidate("a", 0, "first"), candidate("b", 1, "second"), candidate("c", 2, "third")},
      {measured("a", Stage::race, 2.5, 12, Verdict::faster),
       measured("b", Stage::race, 4.7, 16, Verdict::faster),
       measured("b", Stage::confirm, 1.9, 48, Verdict::faster),
       failed("c", Outcome::miscompiled, "output differs from the baseline's"),
       measured("other", Stage::race, 9.9, 12, Verdict::faster)});
}

TEST(Report, WinnerComesFirstThenRewardsThenFailures) {
  const CampaignReport made = report();
  ASSERT_EQ(made.rows.size(), 3U);
  EXPECT_EQ(made.rows[0].candidate.id, "b");
  EXPECT_EQ(made.rows[1].candidate.id, "a");
  EXPECT_EQ(made.rows[2].candidate.id, "c");
}

TEST(Report, OfTheWinnerOnlyTheConfirmedValueIsPrinted) {
  const std::string text = print_report(report());
  EXPECT_NE(text.find("+1.9 %"), std::string::npos) << text;
  EXPECT_EQ(text.find("4.7"), std::string::npos) << text;
  EXPECT_EQ(report_to_json(report()).dump().find("\"pairs\":16"), std::string::npos);
}

TEST(Report, FailureShowsItsReasonAndNoReward) {
  const std::string text = print_report(report());
  EXPECT_NE(text.find("miscompiled: output differs from the baseline's"), std::string::npos)
      << text;
  const Json failure = report_to_json(report())["candidates"][2];
  EXPECT_TRUE(failure["reward"].is_null());
  EXPECT_EQ(failure["outcome"], "miscompiled");
}

TEST(Report, CompilesMeantToBeTunedAreCountedOverAllBuilds) {
  const CampaignReport made = report();
  EXPECT_EQ(made.compiles.meant, 4);
  EXPECT_EQ(made.compiles.tuned, 3);
  EXPECT_EQ(made.compiles.plain_reasons.at("crashed"), 1);
}

TEST(Report, RewardWithoutSamplesIsCountedApart) {
  CampaignReport made = report();
  EXPECT_EQ(made.rewarded(), 2);
  EXPECT_EQ(made.rewarded_with_samples(), 2);
  made.rows[1].race->result->samples.clear();
  EXPECT_EQ(made.rewarded_with_samples(), 1);
  made.rows[1].race->result->reused_attempt = "attempt-job-b-race";
  EXPECT_EQ(made.rewarded_with_samples(), 2);
}

TEST(Report, ConfirmationThatIsNotDoneDoesNotHideTheRace) {
  JobView queued;
  queued.candidate = "a";
  queued.stage = Stage::confirm;
  CampaignView view = campaign();
  view.state = CampaignState::confirming;
  view.winner_candidate.clear();
  view.confirmed.reset();
  const CampaignReport made =
      make_report(view, {candidate("a", 0, "first")},
                  {measured("a", Stage::race, 2.5, 12, Verdict::faster), queued});
  ASSERT_NE(made.rows[0].shown(), nullptr);
  EXPECT_EQ(made.rows[0].shown()->stage, Stage::race);
  EXPECT_NE(print_report(made).find("Still confirming"), std::string::npos);
}

TEST(Report, NoWinnerIsSaid) {
  CampaignView view = campaign();
  view.winner_candidate.clear();
  view.confirmed.reset();
  const std::string text = print_report(make_report(view, {candidate("a", 0, "first")}, {}));
  EXPECT_NE(text.find("No winner"), std::string::npos) << text;
  EXPECT_NE(text.find("not started"), std::string::npos) << text;
}

// Thirty of a campaign whose deadline passed after six: nothing failed.
TEST(Report, WhatADeadlineLeftOutIsLateAndNotFailed) {
  CampaignView view = campaign();
  view.winner_candidate.clear();
  view.confirmed.reset();
  view.reason =
      "deadline: it was not done by 2026-11-29T08:00:00.000Z; no candidate was better "
      "than the baseline in the race (1 measured)";
  std::vector<Candidate> candidates;
  std::vector<JobView> jobs{measured("a", Stage::race, 0.5, 12, Verdict::inconclusive)};
  for (const char* id : {"a", "b", "c"}) {
    candidates.push_back(candidate(id, static_cast<int>(candidates.size()), id));
    JobView job;
    job.candidate = id;
    job.stage = Stage::race;
    job.state = JobState::dead;
    job.late = true;
    job.reason = "deadline: it was not done by 2026-11-29T08:00:00.000Z";
    if (*id != 'a') {
      jobs.push_back(job);
    }
  }
  const std::string text = print_report(make_report(view, candidates, jobs));
  EXPECT_NE(text.find("Of 3 candidates 1 was measured, 0 failed, 2 late (the time was up"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("No winner: nothing was confirmed to be faster (deadline: it was not done"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("dead:"), std::string::npos) << text;
}

TEST(Report, OfACampaignThatMeasuredNothingSaysNoMore) {
  CampaignView view = campaign();
  view.state = CampaignState::cancelled;
  view.reason = "cancelled on request";
  view.winner_candidate.clear();
  view.confirmed.reset();
  JobView cancelled;
  cancelled.candidate = "a";
  cancelled.stage = Stage::race;
  cancelled.state = JobState::cancelled;
  const CampaignReport made =
      make_report(view, {candidate("a", 0, "first"), candidate("b", 1, "second")}, {cancelled});
  std::string text = print_report(made);
  EXPECT_NE(text.find("The campaign was cancelled; nothing was measured."), std::string::npos)
      << text;
  EXPECT_NE(text.find("Of 2 candidates 0 were measured, 0 failed, 1 cancelled, 1 not started."),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("No compile was meant"), std::string::npos) << text;
  view.state = CampaignState::failed;
  view.reason = "its proposer sent no candidate set within 600 s";
  text = print_report(make_report(view, {}, {}));
  EXPECT_NE(
      text.find("The campaign was given up (its proposer sent no candidate set within 600 s)"),
      std::string::npos)
      << text;
}

TEST(VerdictText, EqualBinaryIsExplained) {
  JobView job = done("a", Stage::race, Outcome::ok);
  job.verdict = Verdict::no_change;
  EXPECT_EQ(verdict_text(job), "no_change (same binary as the baseline)");
}

TEST(JobText, FailureShowsReasonRulesAndEndOfLog) {
  JobView job = failed("c", Outcome::compiler_crashed, "clang crashed on a.c");
  job.rules.emplace_back();
  job.rules.back().decision.knobs = {Knob{"unroll-count", "4"}};
  job.result->log = "first\n\x1b[31mlast line\n";
  const std::string text = print_job(job);
  EXPECT_NE(text.find("compiler_crashed"), std::string::npos);
  EXPECT_NE(text.find("clang crashed on a.c"), std::string::npos);
  EXPECT_NE(text.find("*: default<O3> -unroll-count=4"), std::string::npos) << text;
  EXPECT_NE(text.find("last line"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("2 objects, 1 meant to be tuned, 0 tuned"), std::string::npos) << text;
}

TEST(JobText, ALongReasonKeepsItsLinesAndIsSaidOnce) {
  JobView job = failed("c", Outcome::baseline_failed,
                       "the baseline's build failed: make: exit code 2, saying:\ncc -c x.c\n"
                       "x.c:3:1: error: expected ';'\n1 error generated.");
  job.attempts = {
      AttemptView{"a", 1, "staging-1", AttemptState::completed, job.reason, "then", "later"}};
  job.result->log.clear();
  const std::string text = print_job(job);
  const std::string error = "x.c:3:1: error: expected ';'";
  EXPECT_NE(text.find("\n           " + error + "\n"), std::string::npos) << text;
  EXPECT_EQ(text.find(error), text.rfind(error)) << text;
  EXPECT_NE(text.find("1 on staging-1, completed, then to later"), std::string::npos) << text;
  EXPECT_EQ(verdict_text(job),
            "baseline_failed: the baseline's build failed: make: exit code 2, saying: " + error);
}

TEST(JobText, ALateJobIsNoDeadOne) {
  JobView job;
  job.state = JobState::dead;
  job.late = true;
  job.reason = "deadline: it was not done by 2026-11-29T08:00:00.000Z";
  const std::string text = print_job(job);
  EXPECT_NE(text.find("state      late\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("dead\n"), std::string::npos) << text;
}

TEST(JobText, RulesThatMatchNoSourceAreTold) {
  JobView job = done("a", Stage::confirm, Outcome::ok);
  job.result = AttemptResult{};
  job.result->decisions.resize(3);
  job.rules.emplace_back();
  EXPECT_EQ(print_job(job).find("no object was meant"), std::string::npos) << "a plain rule";
  job.rules.back().decision.knobs = {Knob{"unroll-count", "4"}};
  EXPECT_NE(print_job(job).find("warning    no object was meant to be tuned"), std::string::npos);
  job.result->decisions[1].meant = true;
  EXPECT_EQ(print_job(job).find("no object was meant"), std::string::npos);
}

TEST(JobText, AListHasPriorities) {
  JobView job = done("a", Stage::confirm, Outcome::ok);
  job.priority = -42;
  EXPECT_NE(print_jobs(std::vector<JobView>{job}).find(" -42 "), std::string::npos);
}

TEST(Report, AVerdictIsAboutWhatWasMeasured) {
  JobView job = done("a", Stage::race, Outcome::ok);
  job.verdict = Verdict::faster;
  job.reward = RewardEstimate{};
  EXPECT_EQ(verdict_text(job), "faster");
  job.metric = Metric::text_bytes;
  EXPECT_EQ(verdict_text(job), "smaller");
}

}  // namespace
}  // namespace hone
