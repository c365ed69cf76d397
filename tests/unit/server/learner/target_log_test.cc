// What of the replay buffer counts for a policy, and what the gate makes of it.
#include "server/learner/ope/target_log.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/json/document.h"
#include "common/protocol/rules.h"
#include "server/learner/ope/policy_evaluation.h"

namespace hone {
namespace {

std::vector<Rule> rules(const std::string& value) {
  Rule rule;
  rule.decision.knobs = {{"unroll-count", value}};
  return {rule};
}

Experience race(const std::string& value, double reward) {
  Experience row;
  row.source = "staging";
  row.target = "lz4";
  row.target_version = 1;
  row.stage = "race";
  row.baseline = "O3";
  row.outcome = "ok";
  row.host = "h";
  row.log_propensity = std::log(0.5);
  row.rules = dump_json(rules_to_json(rules(value)));
  row.reward = RewardEstimate{};
  row.reward->value = reward;
  row.reward->low = reward - 0.01;
  row.reward->high = reward + 0.01;
  row.reward->pairs = 12;
  return row;
}

Experience confirm(const std::string& value, double reward) {
  Experience row = race(value, reward);
  row.stage = "confirm";
  row.log_propensity.reset();
  return row;
}

TargetLog log_of(const std::vector<Experience>& rows) {
  TargetLog log({"lz4", "O3", {}});
  for (const Experience& row : rows) {
    const Result<void> added = log.add(row);
    EXPECT_TRUE(added) << added.error().describe();
  }
  return log;
}

TEST(TargetLog, TakesWhatWasDrawnOnStagingForThisTarget) {
  Experience other_target = race("2", 0.1);
  other_target.target = "zstd";
  Experience production = race("2", 0.1);
  production.source = "production";
  Experience other_baseline = race("2", 0.1);
  other_baseline.baseline = "Oz";
  Experience unknown = race("2", 0.1);
  unknown.log_propensity.reset();
  Experience nobodys = race("2", 0.1);
  nobodys.outcome = "benchmark_failed";
  nobodys.reward.reset();
  const TargetLog log = log_of({race("2", 0.1), other_target, production, other_baseline, unknown,
                                nobodys, confirm("2", 0.1)});
  EXPECT_EQ(log.rows(), 1U);
  EXPECT_EQ(log.without_propensity(), 1U);
  EXPECT_EQ(log.failures(), 0U);
  EXPECT_EQ(log.log().rows.at(0).reward, 0.1);
}

TEST(TargetLog, AVersionIsOneAlone) {
  Experience second = race("2", 0.2);
  second.target_version = 2;
  TargetLog log({"lz4", "O3", 2});
  ASSERT_TRUE(log.add(race("2", 0.1)));
  ASSERT_TRUE(log.add(second));
  EXPECT_EQ(log.rows(), 1U);
}

TEST(TargetLog, TheBaselinesOwnBinaryEarnsNothing) {
  Experience same = race("2", 0.1);
  same.reward.reset();
  same.verdict = "no_change";
  const TargetLog log = log_of({same});
  ASSERT_EQ(log.rows(), 1U);
  EXPECT_EQ(log.log().rows[0].reward, 0);
}

TEST(TargetLog, OneMeasurementIsOneGroup) {
  const DecisionLog log = log_of({race("2", 0.1), race("4", 0.2), race("2", 0.1)}).log();
  ASSERT_EQ(log.groups.size(), 3U);
  EXPECT_EQ(log.groups[0], log.groups[2]);
  EXPECT_NE(log.groups[0], log.groups[1]);
}

TEST(TargetLog, APolicyIsItsCandidateBehindTheScopesPlainRules) {
  const TargetLog log = log_of({race("2", 0.1), race("4", 0.2)});
  std::vector<Rule> policy = rules("4");
  Rule plain;
  plain.source = "tests/*";
  policy.insert(policy.begin(), plain);
  EXPECT_EQ(log.action_of(policy), log.action_of(rules("4")));
  EXPECT_NE(log.action_of(policy), log.action_of(rules("2")));
  policy.push_back(plain);
  EXPECT_EQ(log.action_of(policy), std::nullopt);
  EXPECT_EQ(log.action_of(rules("8")), std::nullopt);
}

TEST(TargetLog, FailuresAreCountedByWhoseTheyAre) {
  Experience failed = race("2", 0);
  failed.outcome = "miscompiled";
  failed.reason = "output differs";
  failed.reward.reset();
  const TargetLog log = log_of({race("2", 0.1), race("4", 0.2), failed});
  EXPECT_EQ(log.rules(*log.action_of(rules("2"))).failures, 1U);
  EXPECT_EQ(log.rules(*log.action_of(rules("2"))).first_failure, "miscompiled: output differs");
  EXPECT_EQ(log.rules(*log.action_of(rules("4"))).failures, 0U);
}

TEST(TargetLog, AllFreshPairsCountEachOnce) {
  const TargetLog log = log_of({confirm("2", 0.10), confirm("2", 0.04), confirm("2", 0.04)});
  const auto fresh = pooled(log.rules(*log.action_of(rules("2"))).confirmed);
  ASSERT_TRUE(fresh);
  EXPECT_NEAR(fresh->value, 0.07, 1e-12) << "the lucky one does not stand alone";
  EXPECT_NEAR(fresh->high - fresh->value, 0.01 / std::sqrt(2.0), 1e-12);
  const OffPolicyEstimate difference = difference_of(*fresh, {0.02, 0.01, 0.04});
  EXPECT_NEAR(difference.value, 0.05, 1e-12);
  EXPECT_NEAR(difference.low, 0.05 - std::hypot(0.01 / std::sqrt(2.0), 0.02), 1e-12);
  EXPECT_FALSE(pooled({}));
}

PolicyProbabilities always(std::size_t action) {
  return [action](std::span<const double>) {
    return action == 0 ? std::vector<double>{1, 0} : std::vector<double>{0, 1};
  };
}

// 100 draws of two candidates, all but alike from draw to draw.
std::vector<Experience> draws(double first, double second) {
  std::vector<Experience> rows;
  for (int i = 0; i < 100; ++i) {
    rows.push_back(
        race(i % 2 == 0 ? "2" : "4", (i % 2 == 0 ? first : second) + 1e-4 * (i % 7) + 1e-6 * i));
  }
  return rows;
}

PolicyEvaluation evaluation_of(const std::vector<Experience>& rows, std::size_t made,
                               const std::optional<PolicyProbabilities>& current) {
  const Result<PolicyEvaluation> evaluation =
      estimate_policy(log_of(rows).log(), always(made), current, {});
  EXPECT_TRUE(evaluation) << evaluation.error().describe();
  return *evaluation;
}

TEST(PolicyEvaluation, ABetterOneIsFitOnceItHeldOnFreshPairs) {
  PolicyEvaluation evaluation = evaluation_of(draws(0.01, 0.03), 1, always(0));
  EXPECT_NEAR(evaluation.evidence.difference.value, 0.02, 1e-3);
  EXPECT_NEAR(evaluation.evidence.effective_sample_size, 50, 1e-9);
  PolicyEvaluation measured = evaluation;
  decide(evaluation);
  EXPECT_FALSE(evaluation.decision.publish) << "nobody measured it again";
  EXPECT_NE(text_of(evaluation).find("stays a candidate: not measured on fresh pairs"),
            std::string::npos);
  measured.evidence.fresh = OffPolicyEstimate{0.02, 0.01, 0.03};
  decide(measured);
  EXPECT_TRUE(measured.decision.publish) << measured.decision.reason;
  EXPECT_TRUE(to_json(measured).at("publish").get<bool>());
}

TEST(PolicyEvaluation, AWorseOneStaysEvenWithLuckOnFreshPairs) {
  PolicyEvaluation evaluation = evaluation_of(draws(0.01, 0.03), 0, always(1));
  evaluation.evidence.fresh = OffPolicyEstimate{0.02, 0.01, 0.03};
  decide(evaluation);
  EXPECT_FALSE(evaluation.decision.publish);
  EXPECT_NE(evaluation.decision.reason.find("not surely more"), std::string::npos);
}

TEST(PolicyEvaluation, WithoutARivalTheBaselineEarnsNothing) {
  const PolicyEvaluation evaluation = evaluation_of(draws(0.01, 0.03), 1, std::nullopt);
  EXPECT_NEAR(evaluation.evidence.difference.value, 0.03, 1e-3);
  EXPECT_TRUE(to_json(evaluation).at("estimates").at("against").is_null());
}

TEST(PolicyEvaluation, ALogWithoutThePolicyIsAReasonAndNoError) {
  std::vector<Experience> rows = draws(0.01, 0.03);
  for (Experience& row : rows) {
    row.rules = dump_json(rules_to_json(rules("2")));
  }
  rows.push_back(confirm("4", 0.5));
  PolicyEvaluation evaluation = evaluation_of(rows, 1, std::nullopt);
  evaluation.evidence.fresh = OffPolicyEstimate{0.5, 0.4, 0.6};
  decide(evaluation);
  EXPECT_FALSE(evaluation.decision.publish);
  EXPECT_NE(evaluation.decision.reason.find("none of the 100 decisions"), std::string::npos);
  EXPECT_TRUE(to_json(evaluation).at("difference").is_null());
}

// One measurement repeated a hundred times is one.
TEST(PolicyEvaluation, RepeatedMeasurementsAreNoSample) {
  std::vector<Experience> rows;
  for (int i = 0; i < 100; ++i) {
    rows.push_back(race(i % 2 == 0 ? "2" : "4", i % 2 == 0 ? 0.01 : 0.03));
  }
  PolicyEvaluation evaluation = evaluation_of(rows, 1, always(0));
  EXPECT_NEAR(evaluation.evidence.effective_sample_size, 1, 1e-9);
  evaluation.evidence.fresh = OffPolicyEstimate{0.02, 0.01, 0.03};
  decide(evaluation);
  EXPECT_NE(evaluation.decision.reason.find("worth 1.0 decisions"), std::string::npos);
}

// What was drawn once in a while from sets that hold it now and then has no weight of 1.
TEST(PolicyEvaluation, ALogThatDoesNotFitIsToldFromChance) {
  std::vector<Experience> rows = draws(0.01, 0.03);
  for (Experience& row : rows) {
    row.log_propensity = std::log(0.95);
  }
  PolicyEvaluation evaluation = evaluation_of(rows, 1, always(0));
  evaluation.evidence.fresh = OffPolicyEstimate{0.02, 0.01, 0.03};
  decide(evaluation);
  EXPECT_FALSE(evaluation.decision.publish);
  EXPECT_NE(evaluation.decision.reason.find("mean weight of 0.526"), std::string::npos)
      << evaluation.decision.reason;
}

TEST(PolicyEvaluation, AFailureKeepsItBack) {
  PolicyEvaluation evaluation = evaluation_of(draws(0.01, 0.03), 1, always(0));
  evaluation.evidence.fresh = OffPolicyEstimate{0.02, 0.01, 0.03};
  evaluation.evidence.failures = 2;
  evaluation.evidence.first_failure = "miscompiled: output differs";
  decide(evaluation);
  EXPECT_NE(evaluation.decision.reason.find("failed 2 times, first miscompiled"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
