#include "staging/verdict/metric_value.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(MetricValue, TakesTheNumberThatWasAskedFor) {
  BenchmarkRun run;
  run.cpu_seconds = 1;
  run.wall_seconds = 2;
  run.peak_rss_bytes = 3;
  run.printed = 4;
  run.counted = 5;
  EXPECT_DOUBLE_EQ(*metric_value(run, Metric::cpu_time), 1);
  EXPECT_DOUBLE_EQ(*metric_value(run, Metric::wall_time), 2);
  EXPECT_DOUBLE_EQ(*metric_value(run, Metric::peak_rss_bytes), 3);
  EXPECT_DOUBLE_EQ(*metric_value(run, Metric::printed), 4);
  for (const Metric metric :
       {Metric::instructions, Metric::hardware_instructions, Metric::cycles, Metric::energy}) {
    EXPECT_DOUBLE_EQ(*metric_value(run, metric), 5) << to_string(metric);
    EXPECT_TRUE(metric_value(BenchmarkRun(), metric).has_error()) << "not counted";
  }
}

TEST(MetricValue, RefusesWhatHasNoLogarithm) {
  BenchmarkRun run;
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    run.printed = bad;
    EXPECT_TRUE(metric_value(run, Metric::printed).has_error()) << bad;
  }
}

TEST(MetricValue, AboveZeroIsBetterWhicheverWayTheMetricPoints) {
  const MetricSpec seconds{.metric = Metric::cpu_time, .pattern = ""};
  EXPECT_NEAR(paired_metric(seconds, 2, 1, RunOrder::baseline_first)->log_ratio, std::log(2),
              1e-12);
  const MetricSpec speed{.metric = Metric::printed, .pattern = "(x)", .higher_is_better = true};
  EXPECT_NEAR(paired_metric(speed, 1, 2, RunOrder::baseline_first)->log_ratio, std::log(2), 1e-12);
}

TEST(MetricValue, ShortRunsAreRepeatedToTwentyMilliseconds) {
  const auto runs = [](Metric metric, double cpu, double wall) {
    BenchmarkRun one;
    one.cpu_seconds = cpu;
    one.wall_seconds = wall;
    return runs_per_sample(metric, one);
  };
  EXPECT_EQ(runs(Metric::cpu_time, 1.0, 0.001), 1);
  EXPECT_EQ(runs(Metric::cpu_time, 0.020, 1.0), 1);
  EXPECT_EQ(runs(Metric::cpu_time, 0.004, 1.0), 5);
  EXPECT_EQ(runs(Metric::cycles, 0.004, 1.0), 5);
  EXPECT_EQ(runs(Metric::wall_time, 1.0, 0.0), 50);
  EXPECT_EQ(runs(Metric::energy, 1.0, 0.1), 5);
  EXPECT_EQ(runs(Metric::printed, 0.001, 0.001), 1);
  EXPECT_EQ(runs(Metric::instructions, 0.001, 0.001), 1);
}

}  // namespace
}  // namespace hone
