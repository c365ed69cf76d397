// JUnit and Markdown against what a pipeline is shown today (golden/), which
// tests/integration/reports.sh gives to real parsers. HONE_UPDATE_GOLDEN=1 writes it anew.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/junit_report.h"
#include "build_integration/cli/markdown_report.h"
#include "build_integration/cli/report_cases.h"
#include "common/base/file.h"

namespace hone {
namespace {

// What a product may put into a message: mark-up of both formats, colours, half a character.
constexpr const char* kNasty =
    "output differs: <b>|x|</b> & \"y\" `z` @team #7 https://a.example/ [l](m) "
    "]]>\n\x1b[31mred\x1b[0m \xc3";

JobView job_of(std::int64_t number, Stage stage, std::optional<Outcome> outcome) {
  JobView job;
  job.id = "00000000-0000-4000-8000-00000000000" + std::to_string(number);
  job.target = "lz4";
  job.campaign = "10000000-0000-4000-8000-000000000000";
  job.candidate = "c" + std::to_string(number);
  job.stage = stage;
  job.created_at = "2026-11-29T08:00:00.125Z";
  if (!outcome) {
    return job;
  }
  job.state = JobState::done;
  job.outcome = outcome;
  job.finished_at = "2026-11-29T08:01:00.125Z";
  job.attempts = {AttemptView{"20000000-0000-4000-8000-000000000000", 1, "staging-1",
                              AttemptState::completed, "", "2026-11-29T08:00:01Z",
                              "2026-11-29T08:01:00Z"}};
  job.result.emplace();
  job.result->outcome = *outcome;
  job.result->machine = {"staging-1", "EPYC", 2, 8192, "6.1"};
  job.result->build_seconds = 2.5;
  job.result->measure_seconds = 10;
  return job;
}

JobView measured(std::int64_t number, Stage stage, double percent, Verdict verdict) {
  JobView job = job_of(number, stage, Outcome::ok);
  RewardEstimate estimate;
  estimate.value = std::log1p(percent / 100);
  estimate.low = estimate.value - 0.008;
  estimate.high = estimate.value + 0.008;
  estimate.pairs = 32;
  estimate.detectable_effect = 0.01;
  estimate.noise = 0.02;
  job.reward = estimate;
  job.verdict = verdict;
  job.result->verdict = verdict;
  job.result->reward = estimate;
  return job;
}

JobView failed(std::int64_t number, Outcome outcome, const char* reason) {
  JobView job = job_of(number, Stage::race, outcome);
  job.reason = reason;
  job.result->reason = reason;
  job.result->log = "the end of the log\n";
  return job;
}

CampaignReport campaign() {
  CampaignView view;
  view.id = "10000000-0000-4000-8000-000000000000";
  view.target = "lz4";
  view.state = CampaignState::finished;
  view.seed = 7;
  view.winner_candidate = "c1";
  view.policy_version = 3;
  view.created_at = "2026-11-29T08:00:00.125Z";
  std::vector<Candidate> candidates;
  for (int i = 0; i < 8; ++i) {
    Candidate one;
    one.id = "c" + std::to_string(i);
    one.index = i;
    one.origin = "knob";
    one.note = i == 2 ? "default<O3>,function(a|b)" : "-knob=" + std::to_string(i);
    candidates.push_back(one);
  }
  JobView won = measured(1, Stage::confirm, 2.8, Verdict::faster);
  view.confirmed = won.reward;
  JobView same = job_of(4, Stage::race, Outcome::ok);
  same.verdict = Verdict::no_change;
  JobView dead = job_of(5, Stage::race, std::nullopt);
  dead.state = JobState::dead;
  dead.reason = "3 attempts, the last one: the lease expired";
  return make_report(view, candidates,
                     {measured(0, Stage::race, -3.9, Verdict::slower),
                      measured(1, Stage::race, 4.1, Verdict::faster), won,
                      measured(2, Stage::race, 0.2, Verdict::inconclusive),
                      failed(3, Outcome::miscompiled, kNasty), same, dead,
                      failed(6, Outcome::baseline_failed, "the baseline does not build")});
}

std::string golden(const std::string& name, const std::string& now) {
  const std::filesystem::path file =
      std::filesystem::path(HONE_SOURCE_DIR) / "tests/unit/build_integration/cli/golden" / name;
  if (std::getenv("HONE_UPDATE_GOLDEN") != nullptr && !now.empty()) {
    EXPECT_TRUE(write_file_atomically(file, now).has_value());
  }
  const Result<std::string> text = read_file(file, 1U << 20U);
  EXPECT_TRUE(text.has_value()) << file;
  return text ? *text : "";
}

TEST(JunitReport, OfACampaign) {
  const std::string text = junit_report(suite_of(campaign()));
  EXPECT_EQ(text, golden("campaign.xml", text));
}

TEST(MarkdownReport, OfACampaign) {
  const std::string text = markdown_report(suite_of(campaign()));
  EXPECT_EQ(text, golden("campaign.md", text));
}

// What `hone report --from` reads: a job as an earlier program may have printed it.
TEST(JunitReport, OfAJobFromAFile) {
  const Result<Json> document = parse_json(golden("job.json", ""));
  ASSERT_TRUE(document.has_value());
  const Result<JobView> job = parse_job_view(*document);
  ASSERT_TRUE(job.has_value()) << job.error().describe();
  const std::string text = junit_report(suite_of(*job));
  EXPECT_EQ(text, golden("job.xml", text));
}

TEST(ReportCases, AreCountedByWhatTheCandidateIsToBlameFor) {
  const ReportSuite suite = suite_of(campaign());
  ASSERT_EQ(suite.cases.size(), 8U);
  EXPECT_EQ(suite.count(CaseEnd::passed), 3U) << "faster, inconclusive, the same binary";
  EXPECT_EQ(suite.count(CaseEnd::failed), 2U) << "slower, miscompiled";
  EXPECT_EQ(suite.count(CaseEnd::error), 2U) << "dead, baseline_failed";
  EXPECT_EQ(suite.count(CaseEnd::skipped), 1U) << "not started";
  EXPECT_TRUE(suite.cases.front().wins);
  EXPECT_EQ(suite.cases.front().summary(), "faster: +2.8 % [+2.0, +3.6] on 32 pairs");
}

// A pipeline names its runs by the note: the test must be the same one in each of them.
TEST(JunitReport, AJobsTestHasTheSameNameInEveryRun) {
  JobView job = measured(1, Stage::confirm, 2.8, Verdict::faster);
  job.note = "0123456789012345678901234567890123456789";
  const std::string text = junit_report(suite_of(job));
  EXPECT_NE(text.find(R"(name="lz4 confirm against O3")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(<property name="note" value="0123)"), std::string::npos) << text;
  EXPECT_NE(text.find("note 0123"), std::string::npos) << text;
  EXPECT_NE(markdown_report(suite_of(job)).find("lz4 confirm against O3, 0123"), std::string::npos);
}

TEST(ReportCases, WhatTheCompilerSaidOfTheBaselineIsInTheMessage) {
  JobView job = failed(1, Outcome::baseline_failed,
                       "the baseline's build failed: make: exit code 2, saying:\ncc -c x.c\n"
                       "x.c:3:1: error: expected ';'\n1 error generated.");
  const ReportSuite suite = suite_of(job);
  const std::string said = "make: exit code 2, saying: x.c:3:1: error: expected ';'";
  EXPECT_NE(suite.cases.front().summary().find(said), std::string::npos);
  EXPECT_NE(junit_report(suite).find("x.c:3:1: error: expected"), std::string::npos);
  EXPECT_NE(markdown_report(suite).find("x.c:3:1: error: expected"), std::string::npos);
}

// Every state that a job can be in, and how a pipeline counts it.
TEST(ReportCases, OfEveryStateOfAJob) {
  struct Row {
    JobState state;
    bool late;
    CaseEnd end;
    const char* kind;
  };
  for (const Row& row : {Row{JobState::queued, false, CaseEnd::skipped, "queued"},
                         Row{JobState::leased, false, CaseEnd::skipped, "leased"},
                         Row{JobState::cancelled, false, CaseEnd::skipped, "cancelled"},
                         Row{JobState::dead, false, CaseEnd::error, "dead"},
                         Row{JobState::dead, true, CaseEnd::skipped, "late"}}) {
    JobView job = job_of(1, Stage::confirm, std::nullopt);
    job.state = row.state;
    job.late = row.late;
    const ReportSuite suite = suite_of(job);
    EXPECT_EQ(suite.cases.front().end, row.end) << row.kind;
    EXPECT_EQ(suite.cases.front().kind, row.kind);
    const bool skipped = junit_report(suite).find("<skipped") != std::string::npos;
    EXPECT_EQ(skipped, row.end == CaseEnd::skipped) << row.kind;
  }
}

TEST(ReportCases, OfEveryStateOfACampaign) {
  CampaignView view;
  view.target = "lz4";
  view.created_at = "2026-11-29T08:00:00.125Z";
  view.candidates = 30;
  view.finished = 6;
  view.late = 24;
  view.reason = "deadline: it was not done by 2026-11-29T08:00:00.000Z";
  for (const auto& [state, conclusion] :
       {std::pair{CampaignState::waiting, "waiting"}, std::pair{CampaignState::racing, "racing"},
        std::pair{CampaignState::confirming, "confirming"},
        std::pair{CampaignState::cancelled, "cancelled"},
        std::pair{CampaignState::failed, "failed"}}) {
    view.state = state;
    EXPECT_EQ(suite_of(make_report(view, {}, {})).conclusion,
              conclusion + (", " + view.reason) + ": 6 of 30 candidates are measured");
  }
  view.state = CampaignState::finished;
  EXPECT_EQ(suite_of(make_report(view, {}, {})).conclusion, "no winner, " + view.reason);
}

TEST(MarkdownReport, FitsIntoAComment) {
  ReportSuite suite = suite_of(campaign());
  suite.cases.resize(3000, suite.cases.front());
  for (ReportCase& one : suite.cases) {
    one.name = std::string(5000, '|');
    one.reward.clear();
    one.reason = std::string(5000, '<');
  }
  EXPECT_LT(markdown_report(suite).size(), 65'536U);
}

}  // namespace
}  // namespace hone
