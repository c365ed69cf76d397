#include "common/policy/policy_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Policy full_policy() {
  Policy policy;
  policy.target = "lz4";
  policy.sequence = 7;
  policy.compiler = {"clang", 19, "19.1.7"};
  policy.commit = "abc";
  policy.created_at = 1764285182;
  policy.expires_at = 1795821182;
  policy.provenance = "campaign 3, candidate \"x\"";
  policy.cpu_limit_seconds = 90;
  Rule rule;
  rule.source = "lib/*.c";
  rule.output = "out/*";
  rule.option_fingerprint = "0123456789abcdef0123456789abcdef";
  rule.levels = {"O2", "O3"};
  rule.on_source_change = OnSourceChange::plain;
  rule.source_hash = "fedcba9876543210fedcba9876543210";
  rule.decision = {"function(sroa,gvn)", {{"inline-threshold", "500"}, {"unroll-count", "4"}}};
  policy.rules = {rule, Rule{}};
  return policy;
}

Json minimal() {
  return Json::parse(R"json({"format":1,"target":"t","sequence":1,
    "compiler":{"family":"clang","major":19},
    "rules":[{"source":"*","pipeline":"function(sroa)"}]})json");
}

std::vector<std::string> bad_pointers(const Json& document) {
  std::vector<std::string> pointers;
  const auto parsed = policy_from_json(document);
  if (!parsed.has_value()) {
    for (const FieldProblem& problem : parsed.error().fields) {
      pointers.push_back(problem.pointer);
    }
  }
  return pointers;
}

TEST(PolicyJson, RoundTrip) {
  const Policy policy = full_policy();
  const auto parsed = parse_policy(print_policy(policy));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe();
  EXPECT_EQ(parsed->policy, policy);
  EXPECT_TRUE(parsed->warnings.empty());
}

TEST(PolicyJson, AChoiceAndACardRoundTrip) {
  Policy policy = full_policy();
  policy.card = R"({"seed":1})";
  policy.rules[1].decision.choice = "choice 1|clang 19|features 1|member default<O3>|leaf 0";
  const Json document = policy_to_json(policy);
  EXPECT_EQ(document.at("card").at("seed"), 1);
  EXPECT_EQ(document.at("rules").at(1).at("requires"), Json::array({"choice"}));
  EXPECT_EQ(document.at("rules").at(1).at("choice").size(), 5U);
  EXPECT_FALSE(document.at("rules").at(0).contains("choice"));
  const auto parsed = policy_from_json(document);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe();
  EXPECT_EQ(parsed->policy, policy);
  EXPECT_TRUE(parsed->warnings.empty());
}

TEST(PolicyJson, ACardIsAnObject) {
  Json document = minimal();
  document["card"] = "text";
  EXPECT_THAT(bad_pointers(document), ElementsAre("/card"));
}

TEST(PolicyJson, MissingKeysHaveDefaults) {
  const auto parsed = policy_from_json(minimal());
  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe();
  ASSERT_EQ(parsed->policy.rules.size(), 1U);
  EXPECT_THAT(parsed->policy.rules[0].levels, ElementsAre("O3"));
  EXPECT_EQ(parsed->policy.expires_at, 0);
}

TEST(PolicyJson, RefusesUnknownKeysAndWrongTypesAllAtOnce) {
  Json document = minimal();
  document["colour"] = "red";
  document["rules"][0]["sauce"] = "*";
  document["rules"][0]["knobs"] = {{"unroll-count", 4}};
  document["created_at"] = "yesterday";
  EXPECT_THAT(bad_pointers(document),
              testing::UnorderedElementsAre("/colour", "/rules/0/sauce",
                                            "/rules/0/knobs/unroll-count", "/created_at"));
}

TEST(PolicyJson, RefusesMissingKeys) {
  Json document = minimal();
  document.erase("compiler");
  document["rules"][0].erase("source");
  EXPECT_THAT(bad_pointers(document),
              testing::UnorderedElementsAre("/compiler", "/rules/0/source"));
}

TEST(PolicyJson, AnotherFormatIsUnsupported) {
  Json document = minimal();
  document["format"] = 2;
  document["new_key"] = 1;
  EXPECT_EQ(policy_from_json(document).error().code, ErrorCode::unsupported);
}

TEST(PolicyJson, UnknownRequirementOfARuleDisablesThatRule) {
  Json document = minimal();
  document["rules"].push_back(
      {{"requires", {"per-function"}}, {"source", "*"}, {"functions", {{"f", "gvn"}}}});
  const auto parsed = policy_from_json(document);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe();
  EXPECT_EQ(parsed->policy.rules.size(), 1U);
  EXPECT_THAT(parsed->warnings,
              ElementsAre(testing::AllOf(HasSubstr("rule 1"), HasSubstr("per-function"))));
}

TEST(PolicyJson, UnknownRequirementOfTheDocumentDisablesAllRules) {
  Json document = minimal();
  document["requires"] = {"quantum"};
  document["quantum"] = true;
  const auto parsed = policy_from_json(document);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe();
  EXPECT_TRUE(parsed->policy.rules.empty());
  EXPECT_THAT(parsed->warnings, ElementsAre(HasSubstr("quantum")));
}

TEST(PolicyJson, ContentHashFollowsTheContentNotTheSpelling) {
  const Policy policy = full_policy();
  const std::string hash = policy_content_hash(policy);
  EXPECT_EQ(hash.size(), 64U);
  EXPECT_EQ(policy_content_hash(*parse_json(print_policy(policy))), hash);
  Policy changed = policy;
  changed.rules[0].decision.knobs[0].value = "501";
  EXPECT_NE(policy_content_hash(changed), hash);
}

}  // namespace
}  // namespace hone
