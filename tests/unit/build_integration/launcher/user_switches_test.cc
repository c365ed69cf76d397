#include "build_integration/launcher/user_switches.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "common/pipelines/gcc_option_table.h"

namespace hone {
namespace {

std::string off(const std::vector<Option>& options, std::string_view pipelines) {
  return std::string(switched_off_pass(options, pipelines));
}

TEST(SwitchedOffPass, IsOneThatThePipelineNames) {
  EXPECT_EQ(off({{"-fno-vectorize", {}}}, "function(loop-vectorize)"), "-fno-vectorize");
  EXPECT_EQ(
      off({{"-fno-tree-vectorize", {}}}, "function(loop-vectorize<no-interleave-forced-only>)"),
      "-fno-tree-vectorize");
  EXPECT_EQ(off({{"-fno-slp-vectorize", {}}}, "function(gvn,slp-vectorizer)"),
            "-fno-slp-vectorize");
  EXPECT_EQ(off({{"-fno-unroll-loops", {}}}, "function(loop-unroll<O3>)"), "-fno-unroll-loops");
  EXPECT_EQ(off({{"-fno-unroll-loops", {}}}, "function(loop(loop-unroll-full))"),
            "-fno-unroll-loops");
  EXPECT_EQ(off({{"-Xclang", {"-fno-unroll-loops"}}}, "function(loop-unroll)"),
            "-fno-unroll-loops");
  EXPECT_EQ(
      off({{"-fno-vectorize", {}}}, "choice 1|member default<O3>|member function(loop-vectorize)"),
      "-fno-vectorize");
}

TEST(SwitchedOffPass, OthersAreNot) {
  EXPECT_EQ(off({{"-fno-vectorize", {}}}, "function(gvn,slp-vectorizer)"), "");
  EXPECT_EQ(off({{"-fvectorize", {}}}, "function(loop-vectorize)"), "");
  EXPECT_EQ(off({{"-fno-unroll-loops", {}}}, "default<O3>"), "");
  EXPECT_EQ(off({{"-fno-reroll-loops", {}}}, "function(loop-rerolling)"), "");
}

TEST(SwitchedOffPass, TheLastOptionCountsUnderEitherName) {
  EXPECT_EQ(off({{"-fno-vectorize", {}}, {"-ftree-vectorize", {}}}, "function(loop-vectorize)"),
            "");
  EXPECT_EQ(off({{"-fvectorize", {}}, {"-fno-tree-vectorize", {}}}, "function(loop-vectorize)"),
            "-fno-tree-vectorize");
}

TEST(MembersOfGccGroup, AreKnobs) {
  for (const char* group : {"-fno-tree-vectorize", "-ftree-vectorize", "-funroll-all-loops",
                            "-fno-unroll-loops", "-fno-inline", "-flive-patching=inline-clone"}) {
    const auto members = members_of_gcc_group(group);
    EXPECT_FALSE(members.empty()) << group;
    for (const std::string_view member : members) {
      EXPECT_NE(find_gcc_option(member), nullptr) << member;
    }
  }
  EXPECT_EQ(std::ranges::count(members_of_gcc_group("-fno-tree-vectorize"), "ftree-loop-vectorize"),
            1);
  for (const char* option : {"-fno-tree-vrp", "-O3", "-finline-functions", ""}) {
    EXPECT_TRUE(members_of_gcc_group(option).empty()) << option;
  }
}

}  // namespace
}  // namespace hone
