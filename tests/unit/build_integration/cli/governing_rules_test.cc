#include "build_integration/cli/governing_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/policy/index.h"

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

class SourceDecisions : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  std::uint32_t rules_in(const std::string& name) const {
    const Result<PolicyIndex> index = PolicyIndex::open(file(name));
    EXPECT_TRUE(index.has_value()) << name;
    return index.has_value() ? index->rule_count() : 99;
  }
  std::size_t write(const Policy& policy, const std::vector<std::string>& sources) const {
    const Result<std::size_t> written = write_source_decisions(policy, sources, folder_.path());
    EXPECT_TRUE(written.has_value());
    return written.has_value() ? *written : 99;
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("decisions");
};

TEST_F(SourceDecisions, OnlyWhatChangedIsTouched) {
  EXPECT_EQ(write(policy_of({rule("a.c", "function(gvn)"), rule("*", "function(sroa)")}),
                  {"a.c", "src/b.c"}),
            2U);
  // The rule for the others does not govern a.c.
  EXPECT_EQ(write(policy_of({rule("a.c", "function(gvn)"), rule("*", "function(adce)")}),
                  {"a.c", "src/b.c"}),
            1U);
  EXPECT_EQ(write(policy_of({rule("a.c", "function(gvn)"), rule("*", "function(adce)")}),
                  {"a.c", "src/b.c"}),
            0U);
}

TEST_F(SourceDecisions, SourceThatLostItsRuleOrItsPlaceInTheListBecomesPlain) {
  write(policy_of({rule("*", "function(gvn)")}), {"a.c", "src/b.c", "src/c.c"});
  EXPECT_EQ(rules_in("src/b.c.hone"), 1U);
  EXPECT_EQ(write(policy_of({rule("src/c.c", "function(gvn)")}), {"a.c", "src/c.c"}), 2U);
  EXPECT_EQ(rules_in("a.c.hone"), 0U);
  EXPECT_EQ(rules_in("src/b.c.hone"), 0U);
  EXPECT_EQ(rules_in("src/c.c.hone"), 1U);
}

TEST_F(SourceDecisions, ForbiddenDecisionWritesNothing) {
  const Result<std::size_t> written = write_source_decisions(
      policy_of({rule("b.c", "function(no-such-pass)")}), {"a.c"}, folder_.path());
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(file("a.c.hone")));
}

TEST_F(SourceDecisions, StampsHoldAbsoluteSourcesToo) {
  const Policy policy = policy_of({rule("*/gen.c", "function(gvn)")});
  const Result<std::size_t> written =
      write_decision_stamps(policy, {"/b/gen.c", "a.c"}, folder_.path());
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(*written, 2U);
  EXPECT_THAT(*read_file(file("@/b/gen.c.decision"), 4096), testing::HasSubstr("function(gvn)"));
  EXPECT_EQ(*read_file(file("a.c.decision"), 4096), "");
  EXPECT_EQ(*write_decision_stamps(policy, {"/b/gen.c", "a.c"}, folder_.path()), 0U);
}

TEST_F(SourceDecisions, StampsStayInTheirFolder) {
  for (const char* source : {"../a.c", "/../a.c", "src//a.c", "", "/"}) {
    EXPECT_EQ(write_decision_stamps(policy_of({}), {source}, folder_.path()).error().code,
              ErrorCode::invalid_argument)
        << source;
  }
}

}  // namespace
}  // namespace hone
