// Quantiles of buckets, as Prometheus computes them.
#include "server/rewards/latency_histogram.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace hone {
namespace {

const BucketBounds kBounds{0.1, 0.2, 0.4};

TEST(LatencyHistogram, InterpolatesWithinTheBucket) {
  const std::vector<double> counts{10, 10, 0, 0};
  EXPECT_DOUBLE_EQ(histogram_quantile(kBounds, counts, 0.25), 0.05);
  EXPECT_DOUBLE_EQ(histogram_quantile(kBounds, counts, 0.5), 0.1);
  EXPECT_DOUBLE_EQ(histogram_quantile(kBounds, counts, 0.75), 0.15);
}

TEST(LatencyHistogram, SkipsEmptyBuckets) {
  EXPECT_DOUBLE_EQ(histogram_quantile(kBounds, std::vector<double>{5, 0, 5, 0}, 0.75), 0.3);
}

TEST(LatencyHistogram, SaysTheLastBoundForWhatLiesAbove) {
  EXPECT_DOUBLE_EQ(histogram_quantile(kBounds, std::vector<double>{1, 0, 0, 9}, 0.95), 0.4);
}

TEST(LatencyHistogram, KnowsNothingOfNoRequests) {
  EXPECT_TRUE(std::isnan(histogram_quantile(kBounds, std::vector<double>{0, 0, 0, 0}, 0.5)));
}

TEST(LatencyHistogram, RefusesBadBounds) {
  EXPECT_TRUE(check_bounds(kBounds));
  EXPECT_FALSE(check_bounds(BucketBounds{}));
  EXPECT_FALSE(check_bounds(BucketBounds{0.0, 1}));
  EXPECT_FALSE(check_bounds(BucketBounds{1, 1}));
  EXPECT_FALSE(check_bounds(BucketBounds{1, std::numeric_limits<double>::infinity()}));
  EXPECT_FALSE(check_bounds(BucketBounds(kMostBuckets + 1, 1)));
}

}  // namespace
}  // namespace hone
