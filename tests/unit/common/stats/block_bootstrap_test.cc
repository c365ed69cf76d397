// The circular block bootstrap: coverage on series whose neighbours are alike, and what it refuses.
#include "common/stats/block_bootstrap.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace hone {
namespace {

double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * 3.14159265358979 * random.uniform());
}

// First-order autoregressive, mean 0.
std::vector<double> alike_neighbours(std::size_t length, double correlation, Random& random) {
  std::vector<double> series(length);
  double last = normal(random) / std::sqrt(1 - correlation * correlation);
  for (double& value : series) {
    last = correlation * last + normal(random);
    value = last;
  }
  return series;
}

double mean_of(const std::vector<double>& series, std::span<const std::size_t> windows) {
  double sum = 0;
  for (const std::size_t window : windows) {
    sum += series[window];
  }
  return sum / static_cast<double>(windows.size());
}

// Of 200 series of 60 windows, the share whose 95 % interval holds the truth.
double coverage(double correlation, std::size_t block) {
  Random random(3);
  int held = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> series = alike_neighbours(60, correlation, random);
    const Result<Interval> interval = block_bootstrap_interval(
        series.size(),
        [&](std::span<const std::size_t> windows) { return mean_of(series, windows); },
        {.resamples = 300, .block = block, .seed = static_cast<std::uint64_t>(i)});
    held += interval.has_value() && interval->contains(0) ? 1 : 0;
  }
  return held / 200.0;
}

TEST(BlockBootstrap, CoversTheTruth) {
  EXPECT_GE(coverage(0, 0), 0.89);
  EXPECT_GE(coverage(0.3, 0), 0.85);
}

TEST(BlockBootstrap, BlocksMatterWhereNeighboursAreAlike) {
  EXPECT_LT(coverage(0.6, 1), 0.75);
  EXPECT_GT(coverage(0.6, 8), coverage(0.6, 1) + 0.08);
}

TEST(BlockBootstrap, LengthGrowsAsTheCubeRoot) {
  EXPECT_EQ(block_length(1), 1U);
  EXPECT_EQ(block_length(8), 2U);
  EXPECT_EQ(block_length(60), 4U);
  EXPECT_EQ(block_length(1000), 10U);
}

TEST(BlockBootstrap, RefusesWhatCannotBe) {
  const WindowEstimate one = [](std::span<const std::size_t>) { return 1.0; };
  EXPECT_FALSE(block_bootstrap_interval(7, one));
  EXPECT_FALSE(block_bootstrap_interval(20, one, {.confidence = 1}));
  EXPECT_FALSE(block_bootstrap_interval(20, one, {.resamples = 10}));
  EXPECT_FALSE(block_bootstrap_interval(20, one, {.block = 21}));
  const WindowEstimate unknown = [](std::span<const std::size_t>) { return std::nan(""); };
  EXPECT_FALSE(block_bootstrap_interval(20, unknown));
  // Known of the whole, but of few resamples.
  const WindowEstimate seldom = [](std::span<const std::size_t> windows) {
    return windows.front() == 0 && windows.back() == 19 ? 1.0 : std::nan("");
  };
  EXPECT_FALSE(block_bootstrap_interval(20, seldom));
}

}  // namespace
}  // namespace hone
