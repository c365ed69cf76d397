#include "build_integration/cli/policy_diff.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Rule rule(std::string source, std::string knob_value) {
  Rule made;
  made.source = std::move(source);
  made.decision.knobs = {Knob{"unroll-count", std::move(knob_value)}};
  return made;
}

TEST(PolicyDiff, EqualRulesGiveNothing) {
  Policy before;
  before.rules = {rule("a.c", "2")};
  Policy after = before;
  after.sequence = 9;
  after.provenance = "another";
  EXPECT_EQ(print_policy_diff(before, after), "");
}

TEST(PolicyDiff, ChangedRuleIsTakenOutAndPutIn) {
  Policy before;
  before.rules = {rule("a.c", "2"), rule("b.c", "2"), rule("c.c", "2")};
  Policy after = before;
  after.rules[1] = rule("b.c", "4");
  EXPECT_EQ(print_policy_diff(before, after),
            "- b.c [O3]  default<O3> -unroll-count=2\n+ b.c [O3]  default<O3> -unroll-count=4\n");
}

TEST(PolicyDiff, OrderIsMeaning) {
  Policy before;
  before.rules = {rule("*", "2"), rule("b.c", "4")};
  Policy after;
  after.rules = {rule("b.c", "4"), rule("*", "2")};
  const std::string text = print_policy_diff(before, after);
  EXPECT_NE(text, "");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);  // one rule moved
}

TEST(PolicyDiff, CompilerAndConditionsShow) {
  Policy before;
  Policy after;
  after.compiler.major = 20;
  EXPECT_EQ(print_policy_diff(before, after), "- compiler clang 19\n+ compiler clang 20\n");
  Rule strict = rule("a.c", "2");
  strict.on_source_change = OnSourceChange::plain;
  strict.source_hash = "abc";
  strict.output = "*.pic.o";
  EXPECT_EQ(rule_line(strict),
            "a.c [O3]  default<O3> -unroll-count=2  output *.pic.o  plain unless source is abc");
}

}  // namespace
}  // namespace hone
