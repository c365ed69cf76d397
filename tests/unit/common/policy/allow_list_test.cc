#include "common/policy/allow_list.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(AllowList, AcceptsPassesAndKnobsOfTheTables) {
  EXPECT_TRUE(check_decision({"function(sroa,gvn)", {{"unroll-count", "4"}}}, "clang", 19));
}

TEST(AllowList, AcceptsTheOwnPipelineOfAnyCompiler) {
  EXPECT_TRUE(check_decision({"default<O3>", {}}, "gcc", 12));
}

TEST(AllowList, RefusesPassesAndKnobsItDoesNotHold) {
  EXPECT_FALSE(check_decision({"function(no-such-pass)", {}}, "clang", 19));
  EXPECT_FALSE(check_decision({"internalize", {}}, "clang", 19));
  EXPECT_FALSE(check_decision({"default<O3>", {{"stats", "true"}}}, "clang", 19));
  EXPECT_FALSE(check_decision({"default<O3>", {{"unroll-count", "-load=x.so"}}}, "clang", 19));
}

TEST(AllowList, RefusesAKnobThatIsSetTwice) {
  // LLVM would end the compile with "may only occur zero or one times".
  EXPECT_FALSE(
      check_decision({"default<O3>", {{"unroll-count", "4"}, {"unroll-count", "2"}}}, "clang", 19));
}

TEST(AllowList, KnowsGccsOptions) {
  EXPECT_TRUE(check_decision({"default<O3>", {{"funroll-loops", "true"}}}, "gcc", 12));
  EXPECT_TRUE(check_decision({"default<O3>", {{"max-unroll-times", "4"}}}, "gcc", 12));
  EXPECT_FALSE(check_decision({"default<O3>", {{"unroll-count", "4"}}}, "gcc", 12));
  EXPECT_FALSE(check_decision({"default<O3>", {{"fplugin", "x.so"}}}, "gcc", 12));
  EXPECT_FALSE(check_decision({"default<O3>", {{"ffast-math", "true"}}}, "gcc", 12));
  EXPECT_FALSE(check_decision({"function(sroa)", {}}, "gcc", 12));
  EXPECT_FALSE(check_decision({"default<O3>", {{"funroll-loops", "true"}}}, "clang", 19));
}

Decision choice(const std::string& member) {
  Decision decision;
  decision.choice = "choice 1|clang 19|features 1|member default<O3>|member " + member +
                    "|split 0 1 1 2|leaf 0|leaf 1";
  return decision;
}

TEST(AllowList, ChecksEveryMemberOfAChoice) {
  EXPECT_TRUE(check_decision(choice("default<O3>,function(gvn)|knob unroll-count 4"), "clang", 19));
  const auto bad = check_decision(choice("default<O3>,internalize"), "clang", 19);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("member 1"), std::string::npos) << bad.error().message;
  EXPECT_FALSE(check_decision(choice("default<O3>|knob load x.so"), "clang", 19));
  EXPECT_FALSE(
      check_decision(choice("default<O3>|knob unroll-count 4|knob unroll-count 2"), "clang", 19));
}

TEST(AllowList, AChoiceStandsAloneAndIsClangs) {
  EXPECT_EQ(check_decision(choice("function(gvn)"), "clang", 16).error().code,
            ErrorCode::unsupported);
  EXPECT_EQ(check_decision(choice("function(gvn)"), "gcc", 12).error().code,
            ErrorCode::unsupported);
  Decision with_knob = choice("function(gvn)");
  with_knob.knobs = {{"unroll-count", "4"}};
  EXPECT_FALSE(check_decision(with_knob, "clang", 19));
  Decision with_pipeline = choice("function(gvn)");
  with_pipeline.pipeline = "function(gvn)";
  EXPECT_FALSE(check_decision(with_pipeline, "clang", 19));
  Decision torn = choice("function(gvn)");
  torn.choice.resize(torn.choice.size() - 7);
  EXPECT_FALSE(check_decision(torn, "clang", 19));
}

TEST(AllowList, RefusesToTuneCompilersWithoutTables) {
  EXPECT_EQ(check_decision({"default<O3>", {{"funroll-loops", "true"}}}, "gcc", 9).error().code,
            ErrorCode::unsupported);
  EXPECT_EQ(check_decision({"function(sroa)", {}}, "clang", 3).error().code,
            ErrorCode::unsupported);
}

}  // namespace
}  // namespace hone
