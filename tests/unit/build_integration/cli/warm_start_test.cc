#include "build_integration/cli/warm_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build_integration/cli/reward_text.h"

namespace hone {
namespace {

JobView job(Stage stage, std::optional<RewardEstimate> reward, Outcome outcome = Outcome::ok) {
  JobView made;
  made.stage = stage;
  made.state = JobState::done;
  made.outcome = outcome;
  made.reward = reward;
  return made;
}

RewardEstimate reward(double low, double high) {
  RewardEstimate estimate;
  estimate.value = (low + high) / 2;
  estimate.low = low;
  estimate.high = high;
  return estimate;
}

ReportRow row(const std::string& id, std::optional<RewardEstimate> race) {
  ReportRow made;
  made.candidate.id = id;
  made.candidate.note = "-unroll-count=4 of " + id;
  made.candidate.log_propensity = -3;
  made.candidate.rules.emplace_back();
  made.race = job(Stage::race, race);
  return made;
}

CampaignReport last() {
  CampaignReport report;
  report.campaign.winner_candidate = "winner";
  report.campaign.confirmed = reward(0.02, 0.04);
  report.rows = {row("winner", reward(0.005, 0.05)), row("unsure", reward(-0.01, 0.09)),
                 row("good", reward(0.001, 0.01)), row("better", reward(0.02, 0.03)),
                 row("failed", std::nullopt)};
  return report;
}

TEST(CarriedOver, IsTheWinnerFirstThenWhatWasSurelyBetter) {
  const std::vector<Candidate> carried = carried_over(last(), 6);
  ASSERT_EQ(carried.size(), 3U);
  EXPECT_EQ(carried[0].origin, kLastWinner);
  EXPECT_EQ(carried[0].note, "-unroll-count=4 of winner");
  EXPECT_EQ(carried[1].note, "-unroll-count=4 of better");
  EXPECT_EQ(carried[2].note, "-unroll-count=4 of good");
  EXPECT_EQ(carried[2].origin, kCarriedOver);
  EXPECT_EQ(carried[1].log_propensity, 0) << "it is proposed for certain";
  EXPECT_EQ(carried[0].rules.size(), 1U);
  EXPECT_TRUE(carried[0].id.empty());
  EXPECT_EQ(carried_over(last(), 2).size(), 2U);
  EXPECT_TRUE(carried_over(CampaignReport(), 6).empty());
}

CanaryLesson lesson(const std::string& candidate, CanaryState state, CanaryCause cause) {
  CanaryLesson made;
  made.tried.version = 7;
  made.tried.candidate = candidate;
  made.tried.rules.emplace_back().source = candidate;
  made.state = state;
  made.cause = cause;
  made.in_force = state == CanaryState::promoted;
  return made;
}

TEST(CarriedOver, LeavesOutWhatACanaryWithdrewAndBeginsWithWhatItPromoted) {
  const std::vector<CanaryLesson> withdrawn = {
      lesson("winner", CanaryState::rolled_back, CanaryCause::harm),
      lesson("better", CanaryState::rolled_back, CanaryCause::budget)};
  std::vector<Candidate> carried = carried_over(last(), 6, withdrawn);
  ASSERT_EQ(carried.size(), 2U);
  EXPECT_EQ(carried[0].note, "-unroll-count=4 of better") << "a spent budget was not its fault";
  EXPECT_EQ(carried[1].note, "-unroll-count=4 of good");
  const std::vector<CanaryLesson> promoted = {
      lesson("winner", CanaryState::rolled_back, CanaryCause::harm),
      lesson("of an older campaign", CanaryState::promoted, CanaryCause::none)};
  carried = carried_over(last(), 2, promoted);
  ASSERT_EQ(carried.size(), 2U);
  EXPECT_EQ(carried[0].origin, kInProduction);
  EXPECT_EQ(carried[0].rules.front().source, "of an older campaign");
  EXPECT_EQ(carried[0].log_propensity, 0);
  EXPECT_EQ(carried[1].index, 1);
  const std::vector<CanaryLesson> winner = {
      lesson("winner", CanaryState::promoted, CanaryCause::none)};
  carried = carried_over(last(), 6, winner);
  ASSERT_EQ(carried.size(), 3U);
  EXPECT_EQ(carried[0].origin, kLastWinner);
  EXPECT_EQ(carried_over(CampaignReport(), 6, winner).size(), 1U) << "no campaign is known";
}

TEST(DriftText, ComparesThenAndNow) {
  CampaignReport now;
  now.rows = {row("a", reward(0.001, 0.003))};
  EXPECT_FALSE(drift_text(now, last()));
  now.rows[0].candidate.origin = kLastWinner;
  EXPECT_EQ(drift_text(now, last()),
            "Last time's winner: +3.0 % then, +0.2 % [+0.1, +0.3] now (race).");
  now.rows[0].race = job(Stage::race, std::nullopt, Outcome::miscompiled);
  EXPECT_EQ(drift_text(now, last()), "Last time's winner: +3.0 % then; now miscompiled.");
}

}  // namespace
}  // namespace hone
