// What canaries make of staging's rewards, and of what is proposed next.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/protocol/rules.h"
#include "common/stats/normal.h"
#include "server/learner/proposing/production_correction.h"
#include "server/learner/proposing/production_trials.h"
#include "server/learner/proposing/proposal.h"

namespace hone {
namespace {

double unlike(std::size_t, std::size_t) {
  return 0;
}

class Normal {
 public:
  explicit Normal(std::uint64_t seed) : random_(seed) {}
  double operator()(double deviation) {
    return deviation * normal_quantile(random_.uniform() + 0x1.0p-54);
  }

 private:
  Random random_;
};

TEST(ProductionCorrection, RecoversAPlantedLine) {
  // 40 canaries a time of an environment in which production has three fifths of staging's gains
  // and costs 1.5 % more.
  int inside = 0;
  constexpr int kTimes = 40;
  for (int time = 1; time <= kTimes; ++time) {
    Normal normal(static_cast<std::uint64_t>(time));
    std::vector<TrialReward> staging;
    std::vector<CanaryObservation> seen;
    for (std::size_t i = 0; i < 40; ++i) {
      const double worth = normal(0.05);
      staging.push_back({worth + normal(0.002), 0.002});
      const double production = -0.015 + 0.6 * worth + normal(0.005);
      seen.push_back({i, std::nullopt, {production + normal(0.004), 0.004}});
    }
    const ProductionCorrection found = correct_by_production(staging, seen, unlike);
    EXPECT_NEAR(found.offset, -0.015, 0.006) << time;
    EXPECT_NEAR(found.slope, 0.6, 0.12) << time;
    EXPECT_LE(found.scatter, 0.02) << time;
    inside += std::abs(found.offset + 0.015) < 1.96 * found.offset_deviation ? 1 : 0;
  }
  EXPECT_GE(inside, kTimes * 3 / 4) << "its intervals mean something";
}

TEST(ProductionCorrection, WithoutCanariesStagingStandsToTheBit) {
  const std::vector<TrialReward> staging = {{0.031, 0.0041}, {-0.2, 0.00001}, {0, 0.0002}};
  EXPECT_EQ(correct_by_production(staging, {}, unlike).worth, staging);
}

TEST(ProductionCorrection, OneCanaryMovesItsCandidateAndHardlyTheRest) {
  const std::vector<TrialReward> staging = {{0.05, 0.003}, {0.04, 0.003}};
  const std::vector<CanaryObservation> seen = {{0, std::nullopt, {-0.20, 0.01}}};
  const ProductionCorrection found = correct_by_production(staging, seen, unlike);
  EXPECT_LT(found.worth[0].value, -0.17);
  EXPECT_GT(found.worth[1].value, 0.025) << "the identity is what is believed of others";
  EXPECT_LT(found.worth[1].value, 0.04);
  const Likeness alike = [](std::size_t, std::size_t) { return 0.8; };
  EXPECT_LT(correct_by_production(staging, seen, alike).worth[1].value, -0.05)
      << "what shares most of it is worth less, too";
}

TEST(ProductionCorrection, BothAreCombinedByTheirPrecisions) {
  const std::vector<TrialReward> staging = {{0.05, 0.01}};
  const auto worth = [&](double deviation) {
    const std::vector<CanaryObservation> seen = {{0, std::nullopt, {0.03, deviation}}};
    return correct_by_production(staging, seen, unlike).worth[0];
  };
  EXPECT_NEAR(worth(0.001).value, 0.03, 0.001);
  EXPECT_NEAR(worth(0.2).value, 0.05, 0.001);
  EXPECT_GT(worth(0.02).value, 0.03);
  EXPECT_LT(worth(0.02).value, 0.05);
  EXPECT_LT(worth(0.005).standard_deviation, 0.01);
}

TEST(ProductionCorrection, IsOfThePlainBuildThoughCanariesAreOfWhatServed) {
  // The first was promoted at +5 %; the second is 2 % better than the first.
  const std::vector<TrialReward> staging = {{0.05, 0.002}, {0.05, 0.002}};
  const std::vector<CanaryObservation> seen = {{0, std::nullopt, {0.05, 0.002}},
                                               {1, 0, {0.02, 0.002}}};
  const ProductionCorrection found = correct_by_production(staging, seen, unlike);
  EXPECT_NEAR(found.worth[1].value - found.worth[0].value, 0.02, 0.004);
  EXPECT_GT(found.worth[1].value, 0.055);
}

Assignment knob(const std::string& name, const std::string& value) {
  Assignment assignment;
  assignment.general = {"default<O3>", {{name, value}}};
  return assignment;
}

Assignment both(Assignment left, const Assignment& right) {
  left.general.knobs.insert(left.general.knobs.end(), right.general.knobs.begin(),
                            right.general.knobs.end());
  return tidy(std::move(left));
}

Trial trial(const std::string& id, const Assignment& assignment, double reward) {
  Trial made;
  made.candidate = id;
  made.assignment = tidy(assignment);
  made.reward = TrialReward{reward, 0.003};
  return made;
}

RewardEstimate estimate(double value, double error) {
  RewardEstimate made;
  made.value = value;
  made.low = value - 1.96 * error;
  made.high = value + 1.96 * error;
  return made;
}

CanaryLesson lesson(const std::string& candidate, const Assignment& assignment, double production,
                    CanaryState state, CanaryCause cause = CanaryCause::none) {
  CanaryLesson made;
  made.canary = "canary of " + candidate;
  made.tried.version = 2;
  made.tried.candidate = candidate;
  made.tried.rules = rules_of(tidy(assignment), {"O3"});
  made.state = state;
  made.cause = cause;
  made.in_force = state == CanaryState::promoted;
  made.production = estimate(production, 0.01);
  return made;
}

std::vector<Trial> seen_by(const std::vector<Trial>& trials,
                           const std::vector<CanaryLesson>& lessons) {
  return with_production(trials, lessons, BaselineKind::o3, 19, {});
}

bool has(const Candidate& candidate, const std::string& part) {
  return candidate.note.find(part) != std::string::npos;
}

const Assignment kWinner = knob("unroll-count", "4");  // of staging
const Assignment kOther = knob("enable-pre", "false");

TEST(ProductionTrials, WithoutCanariesAreThoseOfStaging) {
  const std::vector<Trial> trials = {trial("a", kWinner, 0.0512345), trial("b", kOther, 0.02)};
  const std::vector<Trial> seen = seen_by(trials, {});
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].reward, trials[0].reward);
  EXPECT_FALSE(seen[0].withdrawn || seen[0].in_force || seen[0].elsewhere);
}

TEST(ProductionTrials, WhatLostInProductionIsNotProposedAgain) {
  const std::vector<Trial> trials = {trial("winner", kWinner, 0.05), trial("other", kOther, 0.02)};
  EXPECT_EQ(choose_finalists({}, trials).front(), "winner");
  const std::vector<Trial> seen = seen_by(
      trials, {lesson("winner", kWinner, -0.2, CanaryState::rolled_back, CanaryCause::harm)});
  EXPECT_LT(seen[0].reward->value, -0.15);
  EXPECT_TRUE(seen[0].withdrawn);
  EXPECT_EQ(choose_finalists({}, seen), (std::vector<std::string>{"other"}));
  ProposalSpec spec;
  spec.count = 20;
  std::size_t before = 0;
  std::size_t after = 0;
  const CandidateSet blind = propose(spec, trials).value();
  const CandidateSet taught = propose(spec, seen).value();
  for (std::size_t i = 0; i < 20; ++i) {
    before += has(blind.candidates[i], "-unroll-count=4") ? 1 : 0;
    after += has(taught.candidates[i], "-unroll-count=4") ? 1 : 0;
    EXPECT_NE(assignment_of(taught.candidates[i].rules), tidy(kWinner)) << "the same again";
  }
  EXPECT_GE(before, 5U) << "staging alone builds upon it";
  EXPECT_LE(after, 2U) << "what shares its parts is worth less";
}

TEST(ProductionTrials, ANewCampaignKnowsItThoughItNeverTriedIt) {
  const std::vector<Trial> trials = {trial("near", both(kWinner, kOther), 0.05),
                                     trial("far", knob("slp-max-vf", "2"), 0.01)};
  const std::vector<Trial> seen =
      seen_by(trials, {lesson("old", kWinner, -0.2, CanaryState::rolled_back, CanaryCause::harm)});
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_TRUE(seen[2].elsewhere && seen[2].withdrawn);
  EXPECT_LT(seen[0].reward->value, 0.01) << "its neighbour is worth less";
  EXPECT_GT(seen[1].reward->value, seen[0].reward->value);
  EXPECT_EQ(choose_finalists({}, seen), (std::vector<std::string>{"far"}));
  ProposalSpec spec;
  spec.count = kMaxCandidates;
  const CandidateSet all = propose(spec, seen).value();
  for (const Candidate& candidate : all.candidates) {
    EXPECT_NE(assignment_of(candidate.rules), tidy(kWinner));
  }
}

TEST(ProductionTrials, TheSameBinaryUnderOtherRulesIsTheSameProgram) {
  // The worker measured the second once with the first: one reward, one program.
  const Assignment same = both(kWinner, knob("enable-misched", "false"));
  const std::vector<Trial> trials = {trial("winner", kWinner, 0.05), trial("same", same, 0.05),
                                     trial("other", kOther, 0.02)};
  const std::vector<Trial> seen = seen_by(
      trials, {lesson("winner", kWinner, -0.2, CanaryState::rolled_back, CanaryCause::limit)});
  EXPECT_TRUE(seen[1].withdrawn);
  EXPECT_EQ(seen[1].reward, seen[0].reward);
  EXPECT_EQ(choose_finalists({}, seen), (std::vector<std::string>{"other"}));
}

TEST(ProductionTrials, WhatServesNowIsWhereTheSearchBegins) {
  const std::vector<Trial> trials = {trial("new", kOther, 0.02)};
  const std::vector<Trial> seen =
      seen_by(trials, {lesson("old", kWinner, 0.04, CanaryState::promoted)});
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen[1].in_force && seen[1].elsewhere);
  EXPECT_NEAR(seen[1].reward->value, 0.04, 0.01);
  EXPECT_EQ(choose_finalists({}, seen), (std::vector<std::string>{"new"}))
      << "what is no candidate of the campaign cannot be confirmed by it";
  ProposalSpec spec;
  spec.count = 20;
  const CandidateSet set = propose(spec, seen).value();
  std::size_t built_upon = 0;
  for (const Candidate& candidate : set.candidates) {
    built_upon += has(candidate, "-unroll-count=4") ? 1 : 0;
  }
  EXPECT_GE(built_upon, 8U);
}

TEST(ProductionTrials, WhatServesIsKnownThoughALaterCanaryWasComparedWithIt) {
  CanaryLesson later = lesson("later", kOther, -0.05, CanaryState::rolled_back, CanaryCause::harm);
  const CanaryLesson serves = lesson("old", kWinner, 0.04, CanaryState::promoted);
  later.known_good = serves.tried;
  const std::vector<Trial> seen =
      seen_by({trial("new", knob("slp-max-vf", "2"), 0.01)}, {later, serves});
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_TRUE(seen[1].withdrawn);
  EXPECT_NEAR(seen[1].reward->value, -0.01, 0.012) << "5 % worse than what is 4 % better";
  EXPECT_TRUE(seen[2].in_force && seen[2].elsewhere);
  EXPECT_NEAR(seen[2].reward->value, 0.04, 0.012);
}

TEST(ProductionTrials, ACrashedOneTakesAllThatHoldItAlong) {
  CanaryLesson crashed = lesson("old", kWinner, 0, CanaryState::rolled_back, CanaryCause::limit);
  crashed.production.reset();
  const std::vector<Trial> seen = seen_by({trial("new", kOther, 0.02)}, {crashed});
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen[1].failed);
  ProposalSpec spec;
  spec.count = kMaxCandidates;
  const CandidateSet set = propose(spec, seen).value();
  for (const Candidate& candidate : set.candidates) {
    EXPECT_FALSE(has(candidate, "-unroll-count=4")) << candidate.note;
  }
}

TEST(ProductionTrials, WhatOthersEndedIsNoFault) {
  const std::vector<Trial> trials = {trial("a", kWinner, 0.05)};
  for (const CanaryCause cause : {CanaryCause::budget, CanaryCause::lost_windows}) {
    CanaryLesson ended = lesson("a", kWinner, 0, CanaryState::rolled_back, cause);
    ended.production.reset();
    const std::vector<Trial> seen = seen_by(trials, {ended});
    EXPECT_FALSE(seen[0].withdrawn || seen[0].failed);
    EXPECT_EQ(seen[0].reward, trials[0].reward);
  }
}

TEST(CanaryLessons, AreReadFromTheReplayBuffersLines) {
  const Json reward{{"value", 0.03}, {"low", 0.02},  {"high", 0.04},          {"confidence", 0.95},
                    {"pairs", 12},   {"noise", 0.1}, {"detectable_effect", 0}};
  Json harm = reward;
  harm["value"] = -0.06;
  const Json rules = rules_to_json(rules_of(tidy(kWinner), {"O3"}));
  const Json line{
      {"policy_version", 3},
      {"candidate", "c"},
      {"rules", rules},
      {"staging", {{"stage", "confirm"}, {"baseline", "own"}, {"reward", reward}}},
      {"known_good", {{"version", 2}, {"candidate", nullptr}, {"rules", Json::array()}}},
      {"reward", reward},
      {"slis",
       {{{"sli", "latency_p95"}, {"finding", "better"}, {"reward", reward}},
        {{"sli", "cpu_per_request"}, {"finding", "worse"}, {"reward", harm}}}}};
  Json item{{"id", "x"},
            {"status", {{"state", "rolled_back"}, {"cause", "harm"}}},
            {"policy_in_force", 2},
            {"experience", line}};
  Json running = item;
  running["experience"] = nullptr;
  const Result<std::vector<CanaryLesson>> read = parse_canary_lessons(Json::array({item, running}));
  ASSERT_TRUE(read) << read.error().describe();
  ASSERT_EQ(read->size(), 1U);
  const CanaryLesson& one = read->front();
  EXPECT_TRUE(one.withdrawn());
  EXPECT_FALSE(one.in_force);
  EXPECT_DOUBLE_EQ(one.production->value, -0.06) << "what it lost by";
  EXPECT_EQ(one.tried.staging->baseline, BaselineKind::own);
  EXPECT_EQ(one.known_good->version, 2);
  EXPECT_EQ(assignment_of(one.tried.rules), tidy(kWinner));
  item["status"] = {{"state", "promoted"}, {"cause", nullptr}};
  item["policy_in_force"] = 3;
  EXPECT_TRUE(parse_canary_lessons(Json::array({item}))->front().in_force);
  EXPECT_DOUBLE_EQ(parse_canary_lessons(Json::array({item}))->front().production->value, 0.03);
}

}  // namespace
}  // namespace hone
