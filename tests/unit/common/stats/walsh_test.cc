#include "common/stats/walsh.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/common/stats/series.h"

namespace hone {
namespace {

TEST(Walsh, AveragesByHand) {
  std::vector<double> averages = walsh_averages(std::vector<double>{1, 2, 4});
  std::ranges::sort(averages);
  EXPECT_EQ(averages, (std::vector<double>{1, 1.5, 2, 2.5, 3, 4}));
  EXPECT_EQ(hodges_lehmann(std::vector<double>{1, 2, 4}), 2.25);
  EXPECT_EQ(hodges_lehmann({}), 0);
}

TEST(Walsh, IntervalByRank) {
  const std::vector<double> values = {1, 2, 4};
  EXPECT_EQ(walsh_interval_at(values, 0), (Interval{1, 2.25, 4}));
  EXPECT_EQ(walsh_interval_at(values, 1), (Interval{1.5, 2.25, 3}));
  EXPECT_EQ(walsh_interval_at(values, 99), (Interval{2, 2.25, 2.5}));  // as narrow as can be
  EXPECT_EQ(walsh_interval({}, 2), Interval());
  EXPECT_EQ(walsh_interval(values, 100), (Interval{1, 2.25, 4}));
}

// References: numpy.
TEST(Walsh, IntervalsAgreeWithReference) {
  const Interval b = walsh_interval(series(40, 0.01, 0.1, 2), 2.22);
  EXPECT_NEAR(b.low, -0.0009018830525272534, 1e-15);
  EXPECT_NEAR(b.estimate, 0.01099108027750248, 1e-15);
  EXPECT_NEAR(b.high, 0.02184340931615461, 1e-15);
  const Interval a = walsh_interval(series(10, 0.01, 0.1, 1), 2.0);
  EXPECT_NEAR(a.low, -0.013587710604558968, 1e-15);
  EXPECT_NEAR(a.high, 0.025758176412289398, 1e-15);
}

TEST(Walsh, IntervalShiftsWithTheData) {
  const std::vector<double> values = series(192, 0, 0.1, 5);
  std::vector<double> shifted = values;
  for (double& value : shifted) {
    value += 1;
  }
  const Interval here = walsh_interval(values, 2.22);
  const Interval there = walsh_interval(shifted, 2.22);
  EXPECT_NEAR(there.low - here.low, 1, 1e-12);
  EXPECT_NEAR(there.estimate - here.estimate, 1, 1e-12);
  EXPECT_NEAR(there.high - here.high, 1, 1e-12);
}

}  // namespace
}  // namespace hone
