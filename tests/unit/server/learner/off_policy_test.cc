#include "server/learner/ope/off_policy.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "server/learner/ope/publish_gate.h"

namespace hone {
namespace {

PolicyProbabilities always(std::vector<double> chances) {
  return [chances](std::span<const double>) { return chances; };
}

LoggedDecision row(std::size_t action, double propensity, double reward) {
  return {{}, action, std::log(propensity), reward};
}

// Two actions, each with its own propensity; rewards 1 and 3 of the first, 5 and 7 of the other.
DecisionLog small_log() {
  DecisionLog log;
  log.actions = 2;
  for (int i = 0; i < 5; ++i) {
    log.rows.push_back(row(0, 0.25, i % 2 == 0 ? 1 : 3));
    log.rows.push_back(row(1, 0.75, i % 2 == 0 ? 5 : 7));
  }
  return log;
}

TEST(OffPolicy, WeightsAreOfTheDefinition) {
  const Result<OffPolicyResult> result =
      evaluate_off_policy(small_log(), always({0.5, 0.5}), {.folds = 2});
  ASSERT_TRUE(result) << result.error().describe();
  // w is 2 and 2/3; rewards 1 3 1 3 1 and 5 7 5 7 5.
  EXPECT_NEAR(result->ips.value, (2 * 9 + 2.0 / 3 * 29) / 10, 1e-12);
  EXPECT_NEAR(result->snips.value, (2 * 9 + 2.0 / 3 * 29) / (5 * 2 + 5 * 2.0 / 3), 1e-12);
  const double sum = 5 * 2 + 5 * 2.0 / 3;
  const double squares = 5 * 4 + 5 * 4.0 / 9;
  EXPECT_NEAR(result->effective_sample_size, sum * sum / squares, 1e-12);
  EXPECT_NEAR(result->largest_weight, 2, 1e-12);
  EXPECT_EQ(result->rows, 10U);
  EXPECT_LT(result->ips.low, result->ips.value);
  EXPECT_GT(result->ips.high, result->ips.value);
}

TEST(OffPolicy, TheBehaviourItselfEarnsTheMeanOfTheLog) {
  const Result<OffPolicyResult> result =
      evaluate_off_policy(small_log(), always({0.25, 0.75}), {.folds = 2});
  ASSERT_TRUE(result) << result.error().describe();
  EXPECT_NEAR(result->ips.value, 3.8, 1e-12);
  EXPECT_NEAR(result->snips.value, 3.8, 1e-12);
  EXPECT_NEAR(result->effective_sample_size, 10, 1e-9);
}

// The model alone is right here, and the propensities are wrong by a factor of two: only what uses
// the model holds.
TEST(OffPolicy, ARightModelMakesUpForWrongPropensities) {
  Random random(3);
  DecisionLog log;
  log.actions = 2;
  for (int i = 0; i < 4'000; ++i) {
    const double x = 2 * random.uniform() - 1;
    const std::size_t action = random.chance(1, 2) ? 1 : 0;
    log.rows.push_back({{x}, action, std::log(0.25), 1 + (action == 1 ? 2 * x : -x)});
  }
  // sum_a pi(a) E[r] = 1, since x is 0 on average.
  const Result<OffPolicyResult> result = evaluate_off_policy(log, always({0.5, 0.5}));
  ASSERT_TRUE(result) << result.error().describe();
  EXPECT_NEAR(result->doubly_robust.value, 1, 0.05);
  EXPECT_NEAR(result->direct, 1, 0.05);
  EXPECT_NEAR(result->ips.value, 2, 0.1) << "twice as much, by the wrong propensity";
}

TEST(OffPolicy, TheDifferenceOfAPolicyToItselfIsNothing) {
  const PolicyProbabilities policy = always({0.6, 0.4});
  const Result<OffPolicyEstimate> difference =
      compare_off_policy(small_log(), policy, policy, {.folds = 2});
  ASSERT_TRUE(difference) << difference.error().describe();
  EXPECT_DOUBLE_EQ(difference->value, 0);
  EXPECT_DOUBLE_EQ(difference->high, 0);
}

std::string problem_of(void (*change)(DecisionLog&)) {
  DecisionLog log = small_log();
  change(log);
  const Result<OffPolicyResult> result = evaluate_off_policy(log, always({0.5, 0.5}));
  return result ? "" : result.error().describe();
}

TEST(OffPolicy, BadRowsAreNamed) {
  EXPECT_NE(problem_of([](DecisionLog& log) {
              log.rows[3].log_propensity = 0.1;
            }).find("row 3: log_propensity 0.1"),
            std::string::npos);
  EXPECT_NE(problem_of([](DecisionLog& log) { log.rows[2].action = 2; }).find("row 2: action 2"),
            std::string::npos);
  EXPECT_NE(problem_of([](DecisionLog& log) {
              log.rows[1].reward = std::numeric_limits<double>::quiet_NaN();
            }).find("row 1: reward"),
            std::string::npos);
  EXPECT_NE(
      problem_of([](DecisionLog& log) { log.rows[9].features = {1}; }).find("row 9: features"),
      std::string::npos);
  EXPECT_NE(problem_of([](DecisionLog& log) { log.rows.resize(9); }).find("at least 10"),
            std::string::npos);
}

TEST(OffPolicy, APolicyThatIsNoneIsRefused) {
  EXPECT_FALSE(evaluate_off_policy(small_log(), always({0.5, 0.6})));
  EXPECT_FALSE(evaluate_off_policy(small_log(), always({1.0})));
  EXPECT_FALSE(evaluate_off_policy(small_log(), always({-0.5, 1.5})));
}

TEST(OffPolicy, ALogThatSaysNothingOfThePolicyIsUnsupported) {
  DecisionLog log = small_log();
  std::erase_if(log.rows, [](const LoggedDecision& logged) { return logged.action == 1; });
  log.rows.insert(log.rows.end(), log.rows.begin(), log.rows.begin() + 5);
  const Result<OffPolicyResult> result = evaluate_off_policy(log, always({0, 1}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::unsupported);
}

PublishEvidence good_evidence() {
  PublishEvidence evidence;
  evidence.difference = {0.02, 0.01, 0.03};
  evidence.effective_sample_size = 100;
  evidence.fresh = OffPolicyEstimate{0.015, 0.005, 0.025};
  return evidence;
}

TEST(PublishGate, PublishesWhatHoldsTwice) {
  EXPECT_TRUE(decide_publication(good_evidence()).publish);
}

TEST(PublishGate, KeepsACandidateWithItsReason) {
  PublishEvidence few = good_evidence();
  few.effective_sample_size = 12;
  EXPECT_NE(decide_publication(few).reason.find("12.0 decisions"), std::string::npos);
  PublishEvidence unsure = good_evidence();
  unsure.difference.low = -0.001;
  EXPECT_NE(decide_publication(unsure).reason.find("not surely more"), std::string::npos);
  PublishEvidence unmeasured = good_evidence();
  unmeasured.fresh.reset();
  EXPECT_NE(decide_publication(unmeasured).reason.find("fresh pairs"), std::string::npos);
  PublishEvidence lucky = good_evidence();
  lucky.fresh->low = 0;
  EXPECT_NE(decide_publication(lucky).reason.find("did not hold"), std::string::npos);
  PublishEvidence nan = good_evidence();
  nan.difference.low = std::numeric_limits<double>::quiet_NaN();
  for (const PublishEvidence& evidence : {few, unsure, unmeasured, lucky, nan}) {
    EXPECT_FALSE(decide_publication(evidence).publish);
  }
}

}  // namespace
}  // namespace hone
