#include "common/stats/signed_rank.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/common/stats/series.h"

namespace hone {
namespace {

TEST(SignedRank, RanksByHand) {
  const std::vector<double> values = {3, -1, 2, -4};  // ranks 3 1 2 4
  const SignedRank rank = signed_rank(values);
  EXPECT_EQ(rank.positive_sum, 5);
  EXPECT_EQ(rank.mean, 5);
  EXPECT_EQ(rank.variance, 4 * 5 * 9 / 24.0);
  EXPECT_FALSE(rank.ties);
}

TEST(SignedRank, TiesShareRanksAndZerosCountForNeitherSide) {
  // |x| sorted: 0 1 1 2; ranks 1, 2.5, 2.5, 4.
  const std::vector<double> values = {1, -1, 2, 0};
  const SignedRank rank = signed_rank(values);
  EXPECT_EQ(rank.positive_sum, 6.5);
  EXPECT_EQ(rank.mean, 4.5);
  EXPECT_EQ(rank.variance, (2.5 * 2.5 * 2 + 16) / 4);
  EXPECT_EQ(rank.zeros, 1U);
  EXPECT_TRUE(rank.ties);
}

TEST(SignedRank, DistributionOfFiveByHand) {
  // 32 sign patterns; sums 0,1,2 have one subset each, 3 and 4 have two, 5 has three.
  EXPECT_DOUBLE_EQ(signed_rank_cdf(5, 0), 1 / 32.0);
  EXPECT_DOUBLE_EQ(signed_rank_cdf(5, 3), 5 / 32.0);
  EXPECT_DOUBLE_EQ(signed_rank_cdf(5, 5), 10 / 32.0);
  EXPECT_DOUBLE_EQ(signed_rank_cdf(5, 15), 1);
  EXPECT_DOUBLE_EQ(signed_rank_cdf(5, 99), 1);
  EXPECT_EQ(signed_rank_rejected(5, 0.05), 1U);
  EXPECT_EQ(signed_rank_rejected(5, 0.03), 0U);
  // Tables of the test (two-sided 5 % at n = 10): W+ <= 8 is rejected.
  EXPECT_EQ(signed_rank_rejected(10, 0.025), 9U);
}

// References: scipy 1.17, wilcoxon(method='exact' or 'approx', correction=True,
// zero_method='pratt').
TEST(SignedRank, PValuesAgreeWithReference) {
  EXPECT_NEAR(signed_rank_p_value(series(10, 0.01, 0.1, 1)), 0.556640625, 1e-12);
  EXPECT_NEAR(signed_rank_p_value(series(40, 0.01, 0.1, 2)), 0.033219984823517734, 1e-12);
  EXPECT_NEAR(signed_rank_p_value(series(120, 0.004, 0.1, 3)), 0.22281247676665739, 1e-9);
  const std::vector<double> tied = {0, 0, 1, 1, -1, 2, 2, -3, 4, 5, -5, 6, 0, 3, 2};
  EXPECT_NEAR(signed_rank_p_value(tied), 0.11548734093378393, 1e-9);
}

TEST(SignedRank, SignNeedsTheMultiplier) {
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(signed_rank_sign(values, 2.62), 1);
  for (double& value : values) {
    value = -value;
  }
  EXPECT_EQ(signed_rank_sign(values, 2.62), -1);
  // (78 - 39) / sqrt(162.5) = 3.0594
  EXPECT_EQ(signed_rank_sign(values, 3.05), -1);
  EXPECT_EQ(signed_rank_sign(values, 3.06), 0);
  EXPECT_EQ(signed_rank_sign(values, -20, 2.62), 1);  // shifted by +20: all positive
}

TEST(SignedRank, NothingAndZerosShowNothing) {
  EXPECT_EQ(signed_rank_sign({}, 2.62), 0);
  EXPECT_EQ(signed_rank_p_value({}), 1);
  const std::vector<double> zeros(20, 0.0);
  EXPECT_EQ(signed_rank_sign(zeros, 0.1), 0);
  EXPECT_EQ(signed_rank_p_value(zeros), 1);
}

}  // namespace
}  // namespace hone
