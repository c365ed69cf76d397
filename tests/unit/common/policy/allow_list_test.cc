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

TEST(AllowList, RefusesToTuneCompilersWithoutTables) {
  EXPECT_EQ(check_decision({"default<O3>", {{"funroll-loops", "true"}}}, "gcc", 9).error().code,
            ErrorCode::unsupported);
  EXPECT_EQ(check_decision({"function(sroa)", {}}, "clang", 3).error().code,
            ErrorCode::unsupported);
}

}  // namespace
}  // namespace hone
