// Change points on planted changes, and on none.
#include "common/stats/change_points.h"

#include <cmath>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace hone {
namespace {

// Normal noise of standard deviation 1 (Box and Muller).
double noise(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * 3.14159265358979 * random.uniform());
}

// Levels of 100 points each, with noise.
std::vector<SeriesPoint> steps(const std::vector<double>& levels, double sigma,
                               std::uint64_t seed) {
  Random random(seed);
  std::vector<SeriesPoint> series;
  for (const double level : levels) {
    for (int i = 0; i < 100; ++i) {
      series.push_back({level + sigma * noise(random), 1});
    }
  }
  return series;
}

TEST(ChangePoints, FindsPlantedChangesWhereTheyAre) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<ChangePoint> changes =
        change_points(steps({0.0, 0.05, 0.02, 0.02}, 0.01, seed));
    ASSERT_EQ(changes.size(), 2U) << seed;
    EXPECT_NEAR(static_cast<double>(changes[0].index), 100, 2) << seed;
    EXPECT_NEAR(static_cast<double>(changes[1].index), 200, 3) << seed;
    EXPECT_NEAR(changes[0].before, 0, 0.004);
    EXPECT_NEAR(changes[0].after, 0.05, 0.004);
    EXPECT_NEAR(changes[1].before, 0.05, 0.004);
    EXPECT_NEAR(changes[1].after, 0.02, 0.004);
  }
}

TEST(ChangePoints, FindsNoneInNoise) {
  std::size_t alarms = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    alarms += change_points(steps({1, 1, 1, 1, 1}, 0.02, seed)).size();
  }
  EXPECT_LE(alarms, 2U) << "of 100 series of 500 points without a change";
}

TEST(ChangePoints, ASeriesWithoutNoiseStepsExactly) {
  std::vector<SeriesPoint> series(40, {100, 1});
  EXPECT_TRUE(change_points(series).empty());
  for (std::size_t i = 25; i < series.size(); ++i) {
    series[i].value = 101;
  }
  const std::vector<ChangePoint> changes = change_points(series);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 25U);
  EXPECT_DOUBLE_EQ(changes[0].before, 100);
  EXPECT_DOUBLE_EQ(changes[0].after, 101);
}

TEST(ChangePoints, AnOutlierIsNoChange) {
  std::vector<SeriesPoint> series = steps({0, 0}, 0.01, 7);
  series[90].value = 0.08;
  EXPECT_TRUE(change_points(series).empty());
}

TEST(ChangePoints, SmallerThanWantedIsNone) {
  const std::vector<SeriesPoint> series = steps({0, 0.004}, 0.001, 3);
  EXPECT_EQ(change_points(series).size(), 1U);
  EXPECT_TRUE(change_points(series, {.min_change = 0.01}).empty());
}

TEST(ChangePoints, TooFewPointsHaveNone) {
  EXPECT_TRUE(change_points({}).empty());
  const std::vector<SeriesPoint> few{{0, 1}, {0, 1}, {0, 1}, {9, 1}, {9, 1}, {9, 1}};
  EXPECT_TRUE(change_points(few).empty());
  EXPECT_EQ(change_points(few, {.min_segment = 3}).size(), 1U);
}

TEST(ChangePoints, MeansOfManyCountAsMany) {
  // The same series, as means of four: the noise of one measurement is told alike.
  const std::vector<SeriesPoint> series = steps({0, 0.05}, 0.01, 11);
  const MergedPoints merged = merge_points(series, 50);
  ASSERT_EQ(merged.points.size(), 50U);
  EXPECT_DOUBLE_EQ(merged.points[3].weight, 4);
  EXPECT_EQ(merged.firsts[3], 12U);
  EXPECT_NEAR(neighbour_sigma(series), 0.01, 0.002);
  EXPECT_NEAR(neighbour_sigma(merged.points), 0.01, 0.004);
  const std::vector<ChangePoint> changes = change_points(merged.points);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(merged.firsts[changes[0].index], 100U);
}

TEST(ChangePoints, MergingKeepsEveryPointOnce) {
  const std::vector<SeriesPoint> series(103, {1, 2});
  const MergedPoints merged = merge_points(series, 10);
  double weight = 0;
  for (const SeriesPoint& point : merged.points) {
    weight += point.weight;
  }
  EXPECT_EQ(merged.points.size(), 10U);
  EXPECT_DOUBLE_EQ(weight, 206);
  EXPECT_EQ(merge_points(series, 1000).points.size(), 103U);
}

}  // namespace
}  // namespace hone
