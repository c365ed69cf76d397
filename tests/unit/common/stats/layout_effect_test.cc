#include "common/stats/layout_effect.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

namespace hone {
namespace {

// A standard normal draw (the polar method would need state; twelve uniforms are near enough here).
double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) {
    sum += random.uniform();
  }
  return sum;
}

std::vector<LayoutSample> drawn(std::size_t count, std::size_t layouts, double sigma, double noise,
                                std::uint64_t seed) {
  Random random(seed);
  std::vector<double> effects[2];
  for (std::vector<double>& side : effects) {
    for (std::size_t i = 0; i < layouts; ++i) {
      side.push_back(sigma * normal(random));
    }
  }
  LayoutDeck decks[2] = {LayoutDeck(layouts), LayoutDeck(layouts)};
  std::vector<LayoutSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    LayoutSample sample{0, decks[0].draw(random), decks[1].draw(random)};
    sample.log_ratio = effects[0][sample.baseline_layout] - effects[1][sample.candidate_layout] +
                       noise * normal(random);
    samples.push_back(sample);
  }
  return samples;
}

TEST(LayoutDeck, DrawsEveryLayoutAsOften) {
  Random random(3);
  LayoutDeck deck(8);
  std::map<std::size_t, int> counts;
  for (int i = 0; i < 20; ++i) {
    ++counts[deck.draw(random)];
  }
  ASSERT_EQ(counts.size(), 8U);
  for (const auto& [layout, count] : counts) {
    EXPECT_LT(layout, 8U);
    EXPECT_GE(count, 2);
    EXPECT_LE(count, 3);
  }
}

TEST(LayoutSigma, FindsTheSpreadOfTheLinksBelowTheNoise) {
  double variance = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const double sigma = layout_sigma(drawn(64, 8, 0.01, 0.01, seed));
    variance += sigma * sigma / 200;
  }
  EXPECT_NEAR(std::sqrt(variance), 0.01, 0.0015);
}

TEST(LayoutSigma, IsNothingWithoutADifferenceOrWithTooLittle) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    sum += layout_sigma(drawn(96, 8, 0, 0.01, seed)) / 100;
  }
  EXPECT_LT(sum, 0.002);
  EXPECT_EQ(layout_sigma(drawn(12, 8, 0.1, 0.001, 1)), 0);  // fewer than two a layout
  EXPECT_EQ(layout_sigma(drawn(48, 1, 0.1, 0.001, 1)), 0);
  EXPECT_EQ(layout_sigma({}), 0);
}

TEST(LayoutDifference, ShrinksWithTheNumberOfLinks) {
  EXPECT_NEAR(layout_difference(0.01, 8), 0.0098, 1e-6);
  EXPECT_EQ(layout_difference(0, 1), 0);
}

}  // namespace
}  // namespace hone
