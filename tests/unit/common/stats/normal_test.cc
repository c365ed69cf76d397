#include "common/stats/normal.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hone {
namespace {

// References: scipy 1.17.
TEST(Normal, AgreesWithReferenceValues) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.3), -0.5244005127080409, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-12);
  EXPECT_NEAR(normal_cdf(-2.62), 0.004396488348121309, 1e-16);
  EXPECT_DOUBLE_EQ(normal_cdf(0), 0.5);
}

TEST(Normal, EndsAreInfiniteAndOutsideIsNan) {
  EXPECT_EQ(normal_quantile(0), -INFINITY);
  EXPECT_EQ(normal_quantile(1), INFINITY);
  EXPECT_TRUE(std::isnan(normal_quantile(-0.1)));
  EXPECT_TRUE(std::isnan(normal_quantile(NAN)));
}

}  // namespace
}  // namespace hone
