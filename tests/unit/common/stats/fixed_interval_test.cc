#include "common/stats/fixed_interval.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/stats/walsh.h"
#include "tests/unit/common/stats/series.h"

namespace hone {
namespace {

// References: numpy, by enumeration of the distribution of W+.
TEST(WilcoxonInterval, ExactIntervalsAgreeWithReference) {
  const Interval a = *wilcoxon_interval(series(10, 0.01, 0.1, 1), 0.95);
  EXPECT_NEAR(a.low, -0.013587710604558968, 1e-15);
  EXPECT_NEAR(a.high, 0.025758176412289394, 1e-15);
  const Interval b = *wilcoxon_interval(series(40, 0.01, 0.1, 2), 0.99);
  EXPECT_NEAR(b.low, -0.002537165510406343, 1e-15);
  EXPECT_NEAR(b.high, 0.023478691774033698, 1e-15);
}

TEST(WilcoxonInterval, RefusesWhatCannotBe) {
  const std::vector<double> five = {1, 2, 3, 4, 5};
  EXPECT_FALSE(wilcoxon_interval(five, 0.95));  // even the extremes hold 93.75 % only
  EXPECT_EQ(wilcoxon_interval(five, 0.9375)->low, 1);
  EXPECT_FALSE(wilcoxon_interval({}, 0.5));
  EXPECT_FALSE(wilcoxon_interval(five, 1));
  EXPECT_FALSE(wilcoxon_interval(five, 0));
  EXPECT_FALSE(wilcoxon_interval(std::vector<double>{1, NAN, 3, 4, 5, 6, 7}, 0.9));
}

TEST(WilcoxonInterval, WidensWithConfidenceAndShrinksWithSize) {
  const auto width = [](std::size_t n, double confidence) {
    const Interval interval = *wilcoxon_interval(series(n, 0, 1, 3), confidence);
    return interval.high - interval.low;
  };
  EXPECT_LT(width(40, 0.8), width(40, 0.95));
  EXPECT_LT(width(40, 0.95), width(40, 0.999));
  EXPECT_LT(width(160, 0.95), width(40, 0.95));
  EXPECT_NEAR(width(51, 0.95), width(50, 0.95), 0.05);  // exact and approximate meet
}

TEST(WilcoxonInterval, CoversTheTruthAsOftenAsItSays) {
  Random random(31);
  int covered = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> values;
    for (int i = 0; i < 20; ++i) {
      values.push_back(draw_normal(random));
    }
    covered += wilcoxon_interval(values, 0.9)->contains(0) ? 1 : 0;
  }
  // Exact level for n = 20: 1 - 2 * P(W+ <= 60) = 90.3 %; four standard errors are 2.7 %.
  EXPECT_NEAR(covered / static_cast<double>(kRuns), 0.903, 0.027);
}

TEST(BootstrapInterval, IsAFunctionOfTheSeedAndHoldsTheEstimate) {
  const std::vector<double> values = series(40, 0.01, 0.1, 2);
  const Interval first = *bootstrap_interval(values, 0.95, 1);
  EXPECT_EQ(first, *bootstrap_interval(values, 0.95, 1));
  EXPECT_NE(first, *bootstrap_interval(values, 0.95, 2));
  EXPECT_EQ(first.estimate, hodges_lehmann(values));
  EXPECT_LT(first.low, first.estimate);
  EXPECT_LT(first.estimate, first.high);
  const Interval exact = *wilcoxon_interval(values, 0.95);
  EXPECT_NEAR(first.high - first.low, exact.high - exact.low, 0.2 * (exact.high - exact.low));
}

TEST(BootstrapInterval, RefusesTooFew) {
  EXPECT_FALSE(bootstrap_interval(series(7, 0, 1, 1), 0.95, 1));
  EXPECT_FALSE(bootstrap_interval(series(20, 0, 1, 1), 0.95, 1, 99));
}

}  // namespace
}  // namespace hone
