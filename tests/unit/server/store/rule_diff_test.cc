// What two lists of rules differ in.
#include "server/store/pg/rule_diff.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

Json rule(const std::string& source, const std::string& pipeline, const std::string& level = "O3") {
  return Json{{"source", source}, {"levels", Json::array({level})}, {"pipeline", pipeline}};
}

TEST(RuleDiff, TellsAddedRemovedAndChanged) {
  const Json from{rule("a.c", "x"), rule("b.c", "x"), rule("c.c", "x")};
  const Json to{rule("a.c", "x"), rule("b.c", "y"), rule("d.c", "x")};
  const Json diff = rule_diff(from, to);
  EXPECT_EQ(diff["same"], 1);
  EXPECT_EQ(diff["removed"], Json::array({rule("c.c", "x")}));
  EXPECT_EQ(diff["added"], Json::array({rule("d.c", "x")}));
  EXPECT_EQ(diff["changed"],
            Json::array({Json{{"from", rule("b.c", "x")}, {"to", rule("b.c", "y")}}}));
}

TEST(RuleDiff, AnotherLevelIsAnotherRule) {
  const Json diff =
      rule_diff(Json::array({rule("a.c", "x", "O2")}), Json::array({rule("a.c", "x", "O3")}));
  EXPECT_EQ(diff["changed"].size(), 0U);
  EXPECT_EQ(diff["added"].size(), 1U);
  EXPECT_EQ(diff["removed"].size(), 1U);
}

TEST(RuleDiff, RulesOfOneScopeAreComparedInTheirOrder) {
  const Json from{rule("a.c", "x"), rule("a.c", "y")};
  const Json to = Json::array({rule("a.c", "x")});
  const Json diff = rule_diff(from, to);
  EXPECT_EQ(diff["same"], 1);
  EXPECT_EQ(diff["removed"], Json::array({rule("a.c", "y")}));
}

TEST(RuleDiff, NothingOfNothing) {
  const Json diff = rule_diff(Json::array(), Json::array());
  EXPECT_EQ(diff["same"], 0);
  EXPECT_TRUE(diff["added"].empty() && diff["removed"].empty() && diff["changed"].empty());
}

TEST(RuleDistance, CountsRulesOfEither) {
  const Json a{rule("a.c", "x"), rule("b.c", "x")};
  EXPECT_EQ(rule_distance(a, a), 0U);
  EXPECT_EQ(rule_distance(a, Json::array({rule("a.c", "x")})), 1U);
  EXPECT_EQ(rule_distance(a, Json::array({rule("a.c", "x"), rule("b.c", "y")})), 2U);
}

}  // namespace
}  // namespace hone
