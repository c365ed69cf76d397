#include "common/policy/governing_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Rule rule(const std::string& source, const std::string& pipeline) {
  Rule made;
  made.source = source;
  made.decision.pipeline = pipeline;
  return made;
}

Policy policy_of(std::vector<Rule> rules) {
  Policy policy;
  policy.rules = std::move(rules);
  return policy;
}

TEST(GoverningRules, RuleBehindOneThatAlwaysMatchesIsLeftOut) {
  const Policy policy = policy_of({rule("a.c", "function(gvn)"), rule("*", "function(sroa)")});
  const std::vector<Rule> rules = governing_rules(policy, "a.c");
  ASSERT_THAT(rules, SizeIs(1));
  EXPECT_EQ(rules[0].decision.pipeline, "function(gvn)");
  EXPECT_EQ(rules[0].source, "a.c");
  EXPECT_EQ(governing_rules(policy, "b.c")[0].decision.pipeline, "function(sroa)");
}

TEST(GoverningRules, ConditionLeavesTheRulesBehindIt) {
  Rule with_output = rule("a.c", "function(gvn)");
  with_output.output = "*.pic.o";
  const Policy policy = policy_of({with_output, rule("*", "function(sroa)")});
  EXPECT_THAT(governing_rules(policy, "a.c"), SizeIs(2));
}

TEST(GoverningRules, LevelsAreDecidedOneByOne) {
  Rule second = rule("*", "function(sroa)");
  second.levels = {"O2", "O3"};
  const std::vector<Rule> rules =
      governing_rules(policy_of({rule("a.c", "function(gvn)"), second}), "a.c");
  ASSERT_THAT(rules, SizeIs(2));
  EXPECT_THAT(rules[1].levels, ElementsAre("O2"));
}

TEST(GoverningRules, PlainRuleAtTheEndIsAsNone) {
  EXPECT_THAT(
      governing_rules(policy_of({rule("a.c", "default<O3>"), rule("*", "function(gvn)")}), "a.c"),
      IsEmpty());
}

}  // namespace
}  // namespace hone
