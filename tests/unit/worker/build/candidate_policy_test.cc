#include "worker/build/candidate_policy.h"

#include <gtest/gtest.h>

#include "common/policy/index.h"

namespace hone {
namespace {

Rule rule(const std::string& source, const std::string& pipeline) {
  Rule made;
  made.source = source;
  made.decision.pipeline = pipeline;
  return made;
}

// The pipeline that governs a source, "plain" for none or the compiler's own.
std::string governing(const CandidatePolicy& policy, const std::string& source,
                      const std::string& level = "O3") {
  const Result<PolicyIndex> index = PolicyIndex::from_bytes(policy.index);
  EXPECT_TRUE(index.has_value());
  const auto match = index->find({.source = source,
                                  .output = "x.o",
                                  .option_fingerprint = "0123456789abcdef0123456789abcdef",
                                  .level = level,
                                  .compiler_family = "clang",
                                  .compiler_major = 19});
  EXPECT_TRUE(match.has_value());
  if (!match->has_value() || (*match)->decision == Decision{}) {
    return "plain";
  }
  return (*match)->decision.pipeline;
}

const std::string kPipeline = "function(sroa<modify-cfg>)";

TEST(CandidatePolicy, ExclusionsComeBeforeTheCandidatesRules) {
  TuneSpec tune;
  tune.exclude = {"tests/*"};
  const Result<CandidatePolicy> policy =
      make_candidate_policy("t", tune, {rule("*", kPipeline)}, {}, 19);
  ASSERT_TRUE(policy.has_value()) << policy.error().describe();
  EXPECT_NE(governing(*policy, "lib/a.c"), "plain");
  EXPECT_EQ(governing(*policy, "tests/a.c"), "plain");
}

TEST(CandidatePolicy, OnlyIncludedSourcesAreTuned) {
  TuneSpec tune;
  tune.include = {"lib/*"};
  const Result<CandidatePolicy> policy = make_candidate_policy(
      "t", tune, {rule("*", kPipeline)}, {"lib/a.c", "programs/main.c", "lib/b.c"}, 19);
  ASSERT_TRUE(policy.has_value()) << policy.error().describe();
  EXPECT_NE(governing(*policy, "lib/a.c"), "plain");
  EXPECT_NE(governing(*policy, "lib/b.c"), "plain");
  EXPECT_EQ(governing(*policy, "programs/main.c"), "plain");
}

TEST(CandidatePolicy, ARuleOutsideTheAllowListIsPlainAndRecordedAsMeant) {
  const Result<CandidatePolicy> policy = make_candidate_policy(
      "t", {}, {rule("bad.c", "print<domtree>"), rule("*", kPipeline)}, {"bad.c", "good.c"}, 19);
  ASSERT_TRUE(policy.has_value()) << policy.error().describe();
  EXPECT_EQ(governing(*policy, "bad.c"), "plain");
  EXPECT_NE(governing(*policy, "good.c"), "plain");
  std::vector<EffectiveDecision> decisions(2);
  decisions[0].source = "bad.c";
  decisions[0].reason = "rule_says_plain";
  decisions[1].source = "other.c";
  decisions[1].reason = "rule_says_plain";
  mark_refused(*policy, decisions);
  EXPECT_TRUE(decisions[0].meant);
  EXPECT_EQ(decisions[0].reason, "not_allowed");
  EXPECT_FALSE(decisions[1].meant);
}

TEST(CandidatePolicy, OtherMistakesAreNamed) {
  Rule bad = rule("*", kPipeline);
  bad.levels = {"O9"};
  const Result<CandidatePolicy> policy = make_candidate_policy("t", {}, {bad}, {}, 19);
  ASSERT_TRUE(policy.has_error());
  EXPECT_EQ(policy.error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
