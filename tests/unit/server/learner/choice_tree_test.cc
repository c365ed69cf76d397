#include "server/learner/zero_shot/choice_tree.h"

#include <random>

#include <gtest/gtest.h>

namespace hone {
namespace {

// Programs of ten families; member 1 gains where feature 3 is 100 or more and loses elsewhere.
std::vector<ChoiceSample> two_kinds() {
  std::vector<ChoiceSample> samples;
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    ChoiceSample sample;
    sample.family = "f" + std::to_string(i % 10);
    for (std::int64_t& feature : sample.features) {
      feature = static_cast<std::int64_t>(random() % 200);
    }
    sample.gains = {0, sample.features[3] >= 100 ? 0.02 : -0.03};
    samples.push_back(std::move(sample));
  }
  weigh_by_family(samples);
  return samples;
}

TEST(ChoiceTree, FindsWhereAMemberGains) {
  const std::vector<ChoiceSample> samples = two_kinds();
  const std::vector<ChoiceNode> nodes = grow_tree(samples, {});
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].feature, 3U);
  EXPECT_NEAR(static_cast<double>(nodes[0].threshold), 100, 5);
  EXPECT_EQ(nodes[nodes[0].less].member, 0U);
  EXPECT_EQ(nodes[nodes[0].other].member, 1U);
  EXPECT_GT(held_out_gain(samples, {}), 0.8 * tree_gain(nodes, samples));
}

TEST(ChoiceTree, IsTheSameEveryTime) {
  EXPECT_EQ(grow_tree(two_kinds(), {}), grow_tree(two_kinds(), {}));
}

TEST(ChoiceTree, StaysPlainWhereNothingIsSure) {
  std::vector<ChoiceSample> samples = two_kinds();
  std::mt19937_64 random(11);
  for (ChoiceSample& sample : samples) {
    // The mean is hardly above 0, and families differ by far more.
    sample.gains[1] = 0.0001 + (sample.family == "f0" ? 0.3 : -0.033) +
                      0.001 * (static_cast<double>(random() % 100) / 100 - 0.5);
  }
  ChoiceTreeSettings settings;
  settings.depth = 0;
  const std::vector<ChoiceNode> nodes = grow_tree(samples, settings);
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].member, 0U);
}

TEST(ChoiceTree, OneFamilySaysNothingAboutOthers) {
  std::vector<ChoiceSample> samples = two_kinds();
  for (ChoiceSample& sample : samples) {
    sample.family = "f0";
    sample.gains[1] = 0.5;
  }
  weigh_by_family(samples);
  const std::vector<ChoiceNode> nodes = grow_tree(samples, {});
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].member, 0U);
}

TEST(ChoiceTree, FamiliesWeighAlike) {
  std::vector<ChoiceSample> samples(5);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].family = i < 4 ? "large" : "small";
    samples[i].gains = {0, i < 4 ? 0.01 : 0.05};
  }
  weigh_by_family(samples);
  std::vector<ChoiceNode> leaf(1);
  leaf[0].member = 1;
  EXPECT_NEAR(tree_gain(leaf, samples), 0.03, 1e-12);
}

TEST(ChoiceTree, LeavesKeepTheirSize) {
  ChoiceTreeSettings settings;
  settings.least_programs = 150;
  EXPECT_EQ(grow_tree(two_kinds(), settings).size(), 1U);
}

}  // namespace
}  // namespace hone
