#include "common/stats/multiplicity.h"

#include <vector>

#include <gtest/gtest.h>

#include "common/stats/detectable.h"

namespace hone {
namespace {

TEST(Holm, AdjustsByHand) {
  // Sorted .01 .02 .03 .04 times 4 3 2 1: .04 .06 .06 .04, made monotone.
  const std::vector<double> p = {0.04, 0.01, 0.03, 0.02};
  const std::vector<double> adjusted = holm_adjusted(p);
  ASSERT_EQ(adjusted.size(), 4U);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.06);
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.9, 0.8}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(Detectable, RobustSigmaIsTheScaledMad) {
  // median 3, deviations 2 1 0 1 97: median 1.
  EXPECT_DOUBLE_EQ(robust_sigma(std::vector<double>{1, 2, 3, 4, 100}), 1.4826);
  EXPECT_EQ(robust_sigma({}), 0);
}

TEST(Detectable, EffectAndPairsAreInverse) {
  // (2.62 + 1.2816) * sqrt(pi / 3) * 0.02 / sqrt(48)
  EXPECT_NEAR(detectable_effect(0.02, 48, 2.62), 0.0115256, 1e-6);
  EXPECT_EQ(pairs_needed(0.02, detectable_effect(0.02, 48, 2.62) + 1e-9, 2.62), 48U);
  EXPECT_GT(pairs_needed(0.02, detectable_effect(0.02, 48, 2.62) - 1e-6, 2.62), 48U);
  EXPECT_EQ(pairs_needed(0, 0.01, 2.62), 0U);
  EXPECT_GT(detectable_effect(0.02, 0, 2.62), 1e300);
}

}  // namespace
}  // namespace hone
