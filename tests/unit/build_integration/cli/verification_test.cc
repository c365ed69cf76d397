#include "build_integration/cli/verification.h"

#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace hone {
namespace {

// Pairs of one second and a bit, candidate faster by `reward`, second run slower by `order`.
std::vector<Sample> samples(double reward, double order, std::uint64_t seed,
                            std::int64_t pairs = 48) {
  Random random(seed);
  std::vector<Sample> made;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const bool baseline_first = pair % 4 == 0 || pair % 4 == 3;
    for (const bool is_baseline : {true, false}) {
      const bool first = is_baseline == baseline_first;
      Sample sample;
      sample.pair = pair;
      sample.position = first ? 0 : 1;
      sample.role = is_baseline ? SampleRole::baseline : SampleRole::candidate;
      sample.value = std::exp((is_baseline ? reward : 0.0) + (first ? 0.0 : order) +
                              0.004 * (random.uniform() - 0.5));
      made.push_back(sample);
    }
  }
  return made;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

TEST(Verification, LogRatiosAreRewardsWithoutTheOrderEffect) {
  const auto ratios = log_ratios(samples(0.02, 0.05, 1), MetricSpec{});
  ASSERT_TRUE(ratios.has_value());
  EXPECT_EQ(ratios->size(), 48U);
  for (const double ratio : *ratios) {
    EXPECT_NEAR(ratio, 0.02, 0.006);
  }
}

TEST(Verification, OtherMetricsAndHalfPairsAreLeftOut) {
  std::vector<Sample> list = samples(0.02, 0, 1, 8);
  Sample wall = list.front();
  wall.metric = Metric::wall_time;
  wall.value = 1000;
  list.push_back(wall);
  Sample half = list.front();
  half.pair = 99;
  list.push_back(half);
  EXPECT_EQ(log_ratios(list, MetricSpec{})->size(), 8U);
}

TEST(Verification, InputsOfAPairCountAlikeHoweverLongTheyRun) {
  std::vector<Sample> list;
  for (const SampleRole role : {SampleRole::baseline, SampleRole::candidate}) {
    for (const auto& [input, seconds, gain] :
         {std::tuple("short", 0.1, 4.0), std::tuple("long", 10.0, 1.0)}) {
      Sample sample;
      sample.role = role;
      sample.input = input;
      sample.position = role == SampleRole::baseline ? 0 : 1;
      sample.value = role == SampleRole::baseline ? seconds : seconds / gain;
      list.push_back(sample);
    }
  }
  EXPECT_NEAR(log_ratios(list, MetricSpec{})->front(), std::log(2.0), 1e-12);
}

TEST(Verification, HigherIsBetterTurnsTheSign) {
  MetricSpec metric;
  metric.higher_is_better = true;
  EXPECT_NEAR(mean(*log_ratios(samples(0.02, 0, 1), metric)), -0.02, 0.002);
}

TEST(Verification, SameRewardAgrees) {
  const auto agreement =
      compare_measurements(samples(0.02, 0.01, 1), samples(0.02, 0.0, 2), MetricSpec{});
  ASSERT_TRUE(agreement.has_value());
  EXPECT_TRUE(agreement->agrees());
  EXPECT_EQ(agreement->first_pairs, 48U);
}

TEST(Verification, AnotherRewardDisagrees) {
  const auto agreement =
      compare_measurements(samples(0.02, 0.01, 1), samples(0.00, 0.01, 2), MetricSpec{});
  ASSERT_TRUE(agreement.has_value());
  EXPECT_FALSE(agreement->agrees());
  EXPECT_LT(agreement->difference.high, 0.0);
}

TEST(Verification, TooFewPairsAreAnError) {
  EXPECT_EQ(compare_measurements(samples(0, 0, 1, 2), samples(0, 0, 2), MetricSpec{}).error().code,
            ErrorCode::invalid_argument);
}

TEST(Verification, WhatIsTheSameInEveryRunAgreesOnlyWithItself) {
  const auto exact = [](double baseline, double candidate, std::int64_t pairs) {
    std::vector<Sample> made;
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      for (const SampleRole role : {SampleRole::baseline, SampleRole::candidate}) {
        Sample sample;
        sample.pair = pair;
        sample.position = role == SampleRole::baseline ? 0 : 1;
        sample.metric = Metric::text_bytes;
        sample.role = role;
        sample.value = role == SampleRole::baseline ? baseline : candidate;
        made.push_back(sample);
      }
    }
    return made;
  };
  const MetricSpec size{.metric = Metric::text_bytes};
  const auto same = compare_measurements(exact(1000, 900, 1), exact(1000, 900, 2), size);
  ASSERT_TRUE(same.has_value()) << same.error().message;
  EXPECT_TRUE(same->agrees());
  EXPECT_EQ(same->second_pairs, 2U);
  const auto other = compare_measurements(exact(1000, 900, 1), exact(1000, 901, 1), size);
  ASSERT_TRUE(other.has_value());
  EXPECT_FALSE(other->agrees());
}

}  // namespace
}  // namespace hone
