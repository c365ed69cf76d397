#include "common/pipelines/successor_weights.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "common/pipelines/action_table.h"
#include "common/pipelines/mutation.h"
#include "common/pipelines/o3_pipeline.h"

namespace hone {
namespace {

constexpr int kMajor = 19;

SuccessorWeights weights() {
  SuccessorWeights weights;
  weights.set("gvn", 0.01);
  weights.set("sroa", "gvn", 0.03);
  weights.set("gvn", "gvn", 0);
  weights.set("dce", 0.01);
  return weights;
}

TEST(SuccessorWeights, AnEdgeTakesThePlaceOfTheGainAnywhere) {
  EXPECT_EQ(weights().weight("sroa", "gvn"), 30'000'000U);
  EXPECT_EQ(weights().weight("", "gvn"), 10'000'000U);
  EXPECT_EQ(weights().weight("gvn", "gvn"), 0U);
  EXPECT_EQ(weights().weight("sroa", "adce"), 0U) << "nothing is known of it";
  SuccessorWeights odd;
  odd.set("a", -1);
  odd.set("b", NAN);
  odd.set("c", HUGE_VAL);
  EXPECT_EQ(odd.weight("", "a"), 0U);
  EXPECT_EQ(odd.weight("", "b"), 0U);
  EXPECT_EQ(odd.weight("", "c"), 1'000'000'000U);
}

TEST(SuccessorWeights, DrawsByGainsAndOneInThreeAlike) {
  Random random(5);
  const std::vector<std::string> passes = {"gvn", "dce", "adce"};
  std::map<std::size_t, int> drawn;
  for (int i = 0; i < 36'000; ++i) {
    ++drawn[weights().draw("sroa", passes, random)];
  }
  // 1/9 each, and of the other two thirds 3/4 and 1/4. Five standard deviations are 480.
  EXPECT_NEAR(drawn[0], 36'000 * (1.0 / 9 + 0.5), 480);
  EXPECT_NEAR(drawn[1], 36'000 * (1.0 / 9 + 1.0 / 6), 480);
  EXPECT_NEAR(drawn[2], 36'000 * (1.0 / 9), 480);
}

TEST(SuccessorWeights, ANameThatIsThereTwiceSharesItsWeight) {
  Random random(6);
  const std::vector<std::string> passes = {"gvn", "gvn", "dce"};
  int of_dce = 0;
  for (int i = 0; i < 30'000; ++i) {
    of_dce += weights().draw("", passes, random) == 2 ? 1 : 0;
  }
  EXPECT_NEAR(of_dce, 30'000 * (1.0 / 9 + 1.0 / 3), 430);
}

TEST(SuccessorWeights, PassesWithoutGainsAreDrawnAlike) {
  Random random(7);
  const std::vector<std::string> passes = {"adce", "bdce"};
  int first = 0;
  for (int i = 0; i < 10'000; ++i) {
    first += weights().draw("", passes, random) == 0 ? 1 : 0;
  }
  EXPECT_NEAR(first, 5'000, 250);
}

TEST(PassEnds, AreThoseOfTheTextHoweverDeep) {
  const PassEnds ends = pass_ends("function(sroa<modify-cfg>,loop(licm)),default<Oz>");
  EXPECT_EQ(ends.first, "sroa");
  EXPECT_EQ(ends.last, "default<Oz>");
  EXPECT_EQ(ends.passes, 3U);
  EXPECT_EQ(pass_ends("function(loop(indvars))").last, "indvars");
  EXPECT_EQ(pass_ends("function(").passes, 0U);
}

// Mutations with weights that know one pass draw it far more often, and stay valid.
TEST(Mutation, DrawsSuccessorsByWeights) {
  SuccessorWeights only;
  only.set("reassociate", 0.1);
  Random random(3);
  const Forest oz = *parse_pipeline(oz_pipeline(kMajor));
  const auto often = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("reassociate"); at != std::string::npos;
         at = text.find("reassociate", at + 1)) {
      ++count;
    }
    return count;
  };
  std::size_t with = 0;
  std::size_t without = 0;
  for (int i = 0; i < 200; ++i) {
    const Mutation led = mutate(oz, kMajor, 3, random, &only);
    ASSERT_TRUE(check_pipeline(led.forest, kMajor)) << led.description;
    with += often(led.description);
    without += often(mutate(oz, kMajor, 3, random).description);
    const Mutation tail = random_pipeline(kMajor, 4, random, &only, "default<Oz>");
    ASSERT_TRUE(check_pipeline(tail.forest, kMajor)) << tail.description;
    with += often(print(tail.forest));
    without += often(print(random_pipeline(kMajor, 4, random).forest));
    ASSERT_TRUE(check_pipeline(crossover(oz, led.forest, kMajor, random, &only).forest, kMajor));
  }
  EXPECT_GT(with, 5 * without);
}

}  // namespace
}  // namespace hone
