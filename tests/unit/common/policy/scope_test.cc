#include "common/policy/scope.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::vector<std::string> sources_of(const std::vector<Rule>& rules) {
  std::vector<std::string> sources;
  for (const Rule& rule : rules) {
    sources.push_back(rule.source);
  }
  return sources;
}

TEST(Scope, ExcludedGlobsComeFirstThenEverySourceThatIsNotIncluded) {
  const std::vector<Rule> rules =
      plain_rules_outside({"lib/*.c"}, {"bench/*"}, {"lib/a.c", "main.c", "lib/b.cc"});
  EXPECT_EQ(sources_of(rules), (std::vector<std::string>{"bench/*", "lib/b.cc", "main.c"}));
}

TEST(Scope, TheRulesAreThePlainCommandAtEveryLevel) {
  for (const Rule& rule : plain_rules_outside({}, {"x"}, {"y"})) {
    EXPECT_EQ(rule.decision, Decision{});
    EXPECT_EQ(rule.levels, (std::vector<std::string>{"O1", "O2", "O3", "Os", "Oz"}));
  }
}

TEST(Scope, NothingIsOutsideWhereAllIsIncluded) {
  EXPECT_TRUE(plain_rules_outside({"*"}, {}, {"a.c", "lib/b.c"}).empty());
}

}  // namespace
}  // namespace hone
