#include "common/stats/difference.h"

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/unit/common/stats/series.h"

namespace hone {
namespace {

// References: scipy and numpy.
TEST(LocationDifference, AgreesWithReference) {
  const Interval unequal =
      *location_difference(series(12, 0.01, 0.1, 1), series(48, 0.03, 0.2, 2), 0.99);
  EXPECT_NEAR(unequal.low, -0.015480873214961582, 1e-9);
  EXPECT_NEAR(unequal.estimate, 0.02302279484638256, 1e-14);
  EXPECT_NEAR(unequal.high, 0.0615264629077267, 1e-9);
  const Interval equal =
      *location_difference(series(24, 0.01, 0.1, 1), series(24, 0.03, 0.1, 2), 0.95);
  EXPECT_NEAR(equal.low, 0.0019675651312219787, 1e-9);
  EXPECT_NEAR(equal.high, 0.03961816331278198, 1e-9);
}

TEST(LocationDifference, RefusesWhatCannotBeCompared) {
  const std::vector<double> few = series(5, 0, 1, 1);
  const std::vector<double> enough = series(6, 0, 1, 1);
  EXPECT_FALSE(location_difference(few, enough, 0.99));
  EXPECT_FALSE(location_difference(enough, few, 0.99));
  EXPECT_TRUE(location_difference(enough, enough, 0.99));
  EXPECT_FALSE(location_difference(enough, enough, 1.0));
  EXPECT_FALSE(location_difference(enough, std::vector<double>{0, 1, 2, 3, 4, INFINITY}, 0.99));
}

TEST(LocationDifference, EqualValuesGiveAPoint) {
  const std::vector<double> ones(8, 1.0);
  const std::vector<double> twos(8, 2.0);
  EXPECT_EQ(*location_difference(ones, twos, 0.99), (Interval{1, 1, 1}));
}

using Noise = std::function<double(Random&)>;

double coverage(const Noise& noise, std::size_t first_size, std::size_t second_size,
                double second_scale, int runs) {
  Random random(77);
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> first;
    std::vector<double> second;
    for (std::size_t i = 0; i < first_size; ++i) {
      first.push_back(noise(random));
    }
    for (std::size_t i = 0; i < second_size; ++i) {
      second.push_back(second_scale * noise(random));
    }
    covered += location_difference(first, second, 0.99)->contains(0) ? 1 : 0;
  }
  return covered / static_cast<double>(runs);
}

TEST(LocationDifference, CoversTheTruthAsOftenAsItSays) {
  constexpr int kRuns = 1500;
  const double error = 4 * std::sqrt(0.99 * 0.01 / kRuns);  // 1.0 %
  const Noise contaminated = [](Random& random) { return draw_contaminated(random, 10); };
  const Noise skewed = [](Random& random) { return std::exp(0.8 * draw_normal(random)); };
  EXPECT_GT(coverage(draw_normal, 12, 12, 1, kRuns), 0.99 - error);
  EXPECT_GT(coverage(draw_normal, 24, 48, 3, kRuns), 0.99 - error);
  EXPECT_GT(coverage(contaminated, 16, 24, 1, kRuns), 0.99 - error);
  EXPECT_GT(coverage(skewed, 24, 24, 1, kRuns), 0.99 - error);
  // Not by being vacuous: sharp enough to miss a truth that is off by one standard deviation.
  const Noise shifted = [](Random& random) { return draw_normal(random) + 1; };
  Random random(5);
  int excluded = 0;
  for (int run = 0; run < 200; ++run) {
    std::vector<double> first;
    std::vector<double> second;
    for (int i = 0; i < 48; ++i) {
      first.push_back(draw_normal(random));
      second.push_back(shifted(random));
    }
    excluded += location_difference(first, second, 0.99)->low > 0 ? 1 : 0;
  }
  EXPECT_GT(excluded, 180);
}

}  // namespace
}  // namespace hone
