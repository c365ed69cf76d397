#include "staging/verdict/diagnostics.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

struct Series {
  std::vector<Sample> samples;
  std::vector<PairedSample> pairs;

  void add(double baseline, double candidate) {
    const auto pair = static_cast<std::int64_t>(pairs.size());
    const RunOrder order = pair % 2 == 0 ? RunOrder::baseline_first : RunOrder::candidate_first;
    pairs.push_back(*paired_sample(baseline, candidate, order));
    Sample sample;
    sample.pair = pair;
    sample.role = SampleRole::baseline;
    sample.value = baseline;
    samples.push_back(sample);
    sample.role = SampleRole::candidate;
    sample.value = candidate;
    samples.push_back(sample);
  }
};

TEST(Diagnostics, CalmSamplesGiveNoWarning) {
  Random random(1);
  Series series;
  for (int i = 0; i < 24; ++i) {
    series.add(1 + 0.01 * random.uniform(), 1 + 0.01 * random.uniform());
  }
  EXPECT_TRUE(doubts(series.samples, series.pairs).empty());
}

TEST(Diagnostics, EnergyIsAlwaysTheWholeMachines) {
  Series series;
  series.add(1, 1);
  EXPECT_TRUE(doubts(series.samples, series.pairs).empty());
  for (Sample& sample : series.samples) {
    sample.metric = Metric::energy;
  }
  const std::vector<std::string> warnings = doubts(series.samples, series.pairs);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("whole machine"), std::string::npos);
}

TEST(Diagnostics, WarnsOfPairsThatResembleTheirNeighbours) {
  Random random(1);
  Series series;
  for (int i = 0; i < 48; ++i) {
    series.add(1 + (i < 24 ? 0.05 : 0.0) + 0.01 * random.uniform(), 1);
  }
  const std::vector<std::string> warnings = doubts(series.samples, series.pairs);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("autocorrelation"), std::string::npos) << warnings[0];
}

TEST(Diagnostics, WarnsOfSlowRunsInOneBinaryOnly) {
  Random random(1);
  Series series;
  for (int i = 0; i < 24; ++i) {
    series.add(1 + 0.01 * random.uniform(), (i % 8 == 0 ? 1.5 : 1) + 0.01 * random.uniform());
  }
  const std::vector<std::string> warnings = doubts(series.samples, series.pairs);
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].find("candidate"), std::string::npos) << warnings[0];
}

TEST(Diagnostics, OneSlowRunIsNoSecondSpeed) {
  Random random(1);
  Series series;
  for (int i = 0; i < 12; ++i) {
    series.add(1 + 0.01 * random.uniform(), (i == 5 ? 1.5 : 1) + 0.01 * random.uniform());
  }
  EXPECT_TRUE(doubts(series.samples, series.pairs).empty());
}

TEST(Diagnostics, TellsOfAnOrderEffect) {
  Series series;
  Random random(1);
  for (int i = 0; i < 24; ++i) {
    const double noise = 0.001 * random.uniform();
    series.add(i % 2 == 0 ? 1 + noise : 1.05, i % 2 == 0 ? 1.05 : 1 + noise);
  }
  const std::vector<std::string> warnings = doubts(series.samples, series.pairs);
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings.back().find("slower"), std::string::npos) << warnings.back();
}

}  // namespace
}  // namespace hone
