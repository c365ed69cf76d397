#include "common/pipelines/mutation.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "common/pipelines/action_table.h"
#include "common/pipelines/o3_pipeline.h"

namespace hone {
namespace {

constexpr int kMajor = 19;

Forest o3() {
  return *parse_pipeline(o3_pipeline(kMajor));
}

void expect_valid(const Mutation& mutation) {
  const Result<void> checked = check_pipeline(mutation.forest, kMajor);
  ASSERT_TRUE(checked) << checked.error().message << "\n" << mutation.description;
  ASSERT_EQ(canonical(mutation.forest), mutation.forest) << mutation.description;
  const Result<Forest> reparsed = parse_pipeline(print(mutation.forest));
  ASSERT_TRUE(reparsed);
  ASSERT_EQ(*reparsed, mutation.forest);
}

TEST(Random, StreamIsThePublishedOne) {
  // xoshiro256** with SplitMix64 seeding, from the authors' C code with seed 1.
  Random random(1);
  EXPECT_EQ(random.bits(), 0xb3f2af6d0fc710c5U);
  EXPECT_EQ(random.bits(), 0x853b559647364ceaU);
}

TEST(Random, BoundedDrawsAreUniform) {
  Random random(7);
  int counts[3] = {};
  for (int i = 0; i < 30000; ++i) {
    ++counts[random.below(3)];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10000, 400);  // 5 standard deviations of 82
  }
}

TEST(Mutation, StaysValidOverLongChains) {
  Random random(11);
  for (const std::string_view start :
       {o3_pipeline(kMajor), oz_pipeline(kMajor), std::string_view("default<O3>"),
        std::string_view("function(sroa)")}) {
    Forest forest = *parse_pipeline(start);
    for (int i = 0; i < 300; ++i) {
      Mutation mutation = mutate(forest, kMajor, 1 + i % 3, random);
      expect_valid(mutation);
      if (HasFatalFailure()) {
        return;
      }
      forest = std::move(mutation.forest);
    }
  }
}

TEST(Mutation, ChangesTheForestAndSaysHow) {
  Random random(3);
  int same = 0;
  std::set<std::string> verbs;
  for (int i = 0; i < 200; ++i) {
    const Mutation mutation = mutate(o3(), kMajor, 1, random);
    same += mutation.forest == o3() ? 1 : 0;
    verbs.insert(mutation.description.substr(0, mutation.description.find(' ')));
  }
  EXPECT_LE(same, 2);  // swapping two equal neighbours does nothing
  EXPECT_EQ(verbs,
            (std::set<std::string>{"change", "insert", "remove", "repeat", "replace", "swap"}));
}

TEST(Mutation, LeavesFixedNodesAlone) {
  Random random(5);
  Forest forest = *parse_pipeline("always-inline,function(transform-warning,sroa)");
  for (int i = 0; i < 100; ++i) {
    forest = mutate(forest, kMajor, 1, random).forest;
  }
  const std::string text = print(forest);
  EXPECT_NE(text.find("always-inline"), std::string::npos);
  EXPECT_NE(text.find("transform-warning"), std::string::npos);
  EXPECT_EQ(text.find("transform-warning"), text.rfind("transform-warning"));
}

TEST(Mutation, IsAFunctionOfTheSeed) {
  Random first(42);
  Random second(42);
  const Mutation a = mutate(o3(), kMajor, 4, first);
  const Mutation b = mutate(o3(), kMajor, 4, second);
  EXPECT_EQ(a.forest, b.forest);
  EXPECT_EQ(a.description, b.description);
  // The same on every platform and compiler: changing the tables or the draws changes this line.
  Random pinned(1);
  EXPECT_EQ(mutate(o3(), kMajor, 1, pinned).description, "replace tailcallelim by infer-alignment");
}

TEST(Mutation, StopsGrowing) {
  Random random(9);
  std::string text = "function(sroa";
  for (int i = 0; i < 600; ++i) {
    text += ",gvn";
  }
  const Forest large = *parse_pipeline(text + ")");
  EXPECT_LT(count_passes(mutate(large, kMajor, 50, random).forest), count_passes(large));
}

TEST(Crossover, IsValidAndTakesFromBoth) {
  Random random(13);
  const Forest left = o3();
  const Forest right = mutate(o3(), kMajor, 30, random).forest;
  int mixed = 0;
  for (int i = 0; i < 200; ++i) {
    const Mutation child = crossover(left, right, kMajor, random);
    expect_valid(child);
    if (HasFatalFailure()) {
      return;
    }
    mixed += child.forest != left && child.forest != right ? 1 : 0;
  }
  EXPECT_GT(mixed, 100);
}

TEST(Crossover, KeepsTheLimitOfWholePipelines) {
  Random random(17);
  const Forest twice = *parse_pipeline("default<O3>,default<O3>");
  for (int i = 0; i < 50; ++i) {
    expect_valid(crossover(twice, twice, kMajor, random));
  }
}

TEST(RandomPipeline, IsValidHasItsLengthAndInlines) {
  Random random(19);
  for (std::size_t passes : {1U, 5U, 30U, 200U}) {
    for (int i = 0; i < 50; ++i) {
      const Mutation drawn = random_pipeline(kMajor, passes, random);
      expect_valid(drawn);
      if (HasFatalFailure()) {
        return;
      }
      const std::size_t count = count_passes(drawn.forest);
      EXPECT_GE(count, passes);
      EXPECT_LE(count, passes + 1);  // always-inline
      EXPECT_NE(print(drawn.forest).find("inline"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace hone
