#include "staging/runner/json_metric.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// As Google Benchmark 1.7.1 prints it, shortened.
constexpr const char* kGoogle = R"({
  "context": {"date": "2026-01-02T03:04:05+00:00", "host_name": "h", "load_avg": [0.5, 0.4, 0.3]},
  "benchmarks": [
    {"name": "BM_sort/8", "run_name": "BM_sort/8", "run_type": "iteration", "iterations": 100,
     "real_time": 21.0, "cpu_time": 20.0, "time_unit": "ns"},
    {"name": "BM_find", "run_name": "BM_find", "run_type": "iteration", "iterations": 10,
     "real_time": 1.0, "cpu_time": 0.8, "time_unit": "us", "items_per_second": 5e6},
    {"name": "BM_find_mean", "run_name": "BM_find", "run_type": "aggregate",
     "aggregate_name": "mean", "cpu_time": 99, "time_unit": "us"}
  ]})";

constexpr const char* kHyperfine = R"({"results": [
    {"command": "./a 1", "mean": 0.5, "stddev": 0.01, "median": 0.49, "times": [0.5, 0.49]},
    {"command": "./a 2", "mean": 2.0, "stddev": 0.01, "median": 1.9, "times": [2.0, 1.9]}]})";

constexpr const char* kBencher = R"({
    "parse": {"latency": {"value": 4.0, "lower_value": 3.9}, "throughput": {"value": 100}},
    "print": {"latency": {"value": 9.0}}})";

MetricSpec format(MetricFormat kind, std::string benchmark = "", std::string field = "") {
  MetricSpec spec;
  spec.metric = Metric::printed;
  spec.format = kind;
  spec.benchmark = std::move(benchmark);
  spec.field = std::move(field);
  return spec;
}

MetricSpec pointer(const std::string& json) {
  MetricSpec spec;
  spec.metric = Metric::printed;
  spec.json = json;
  return spec;
}

Result<PrintedMetric> found(const MetricSpec& spec, std::string_view output) {
  return JsonMetric::create(spec)->find(output);
}

TEST(JsonMetric, OfGoogleBenchmarkInSeconds) {
  const auto all = found(format(MetricFormat::google_benchmark), kGoogle);
  ASSERT_TRUE(all.has_value()) << all.error().message;
  EXPECT_NEAR(all->value, 126.49e-9, 0.01e-9);  // geometric mean of 20 and 800 ns
  EXPECT_EQ(all->rest, "BM_sort/8\nBM_find\n");
  EXPECT_DOUBLE_EQ(found(format(MetricFormat::google_benchmark, "BM_find"), kGoogle)->value, 8e-7);
  EXPECT_DOUBLE_EQ(
      found(format(MetricFormat::google_benchmark, "BM_sort/8", "real_time"), kGoogle)->value,
      21e-9);
  EXPECT_DOUBLE_EQ(
      found(format(MetricFormat::google_benchmark, "BM_find", "items_per_second"), kGoogle)->value,
      5e6);
}

TEST(JsonMetric, OfGoogleBenchmarksAggregatesTheMedian) {
  const auto only = found(format(MetricFormat::google_benchmark), R"({"benchmarks": [
      {"name": "B_mean", "run_name": "B", "run_type": "aggregate", "aggregate_name": "mean",
       "cpu_time": 7, "time_unit": "s"},
      {"name": "B_median", "run_name": "B", "run_type": "aggregate", "aggregate_name": "median",
       "cpu_time": 6, "time_unit": "s"}]})");
  ASSERT_TRUE(only.has_value()) << only.error().message;
  EXPECT_DOUBLE_EQ(only->value, 6);
}

TEST(JsonMetric, AFailedBenchmarkIsNoMetric) {
  const auto failed = found(format(MetricFormat::google_benchmark), R"({"benchmarks": [
      {"name": "B", "run_type": "iteration", "error_occurred": true, "error_message": "x",
       "cpu_time": 7, "time_unit": "s"}]})");
  ASSERT_FALSE(failed.has_value());
  EXPECT_NE(failed.error().message.find("'B'"), std::string::npos);
}

TEST(JsonMetric, OfHyperfine) {
  const auto all = found(format(MetricFormat::hyperfine), kHyperfine);
  ASSERT_TRUE(all.has_value()) << all.error().message;
  EXPECT_DOUBLE_EQ(all->value, 1.0);
  EXPECT_EQ(all->rest, "\n\n") << "commands name binaries, which differ";
  EXPECT_DOUBLE_EQ(found(format(MetricFormat::hyperfine, "./a 2", "median"), kHyperfine)->value,
                   1.9);
}

TEST(JsonMetric, OfBencher) {
  EXPECT_DOUBLE_EQ(found(format(MetricFormat::bmf), kBencher)->value, 6.0);
  EXPECT_DOUBLE_EQ(found(format(MetricFormat::bmf, "parse", "throughput"), kBencher)->value, 100);
  // Not every benchmark has that measure.
  EXPECT_FALSE(found(format(MetricFormat::bmf, "", "throughput"), kBencher).has_value());
}

TEST(JsonMetric, AtAPointerTheRestIsTheOthers) {
  const auto first = found(pointer("/results/1/mean"), kHyperfine);
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_DOUBLE_EQ(first->value, 2.0);
  EXPECT_EQ(found(pointer("/a"), R"({"a": 1, "b": 2})")->rest,
            found(pointer("/a"), R"({"b": 2, "a": 3})")->rest);
  EXPECT_NE(found(pointer("/a"), R"({"a": 1, "b": 2})")->rest,
            found(pointer("/a"), R"({"a": 1, "b": 3})")->rest);
}

TEST(JsonMetric, SaysWhatIsNotThere) {
  const std::pair<Result<PrintedMetric>, const char*> cases[] = {
      {found(pointer("/results/7/mean"), kHyperfine), "/results/7/mean"},
      {found(pointer("/results/0/command"), kHyperfine), "no number"},
      {found(pointer("/a"), "a: 3"), "not one JSON document"},
      {found(format(MetricFormat::hyperfine, "./b"), kHyperfine), "'./b'"},
      {found(format(MetricFormat::hyperfine, "", "p99"), kHyperfine), "'p99'"},
      {found(format(MetricFormat::google_benchmark), kHyperfine), "no benchmark"},
      {found(format(MetricFormat::bmf), "[1]"), "no benchmark"},
      {found(format(MetricFormat::bmf), R"({"a": 3})"), "'latency'"}};
  for (const auto& [result, text] : cases) {
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::not_found);
    EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
  }
}

TEST(JsonMetric, ThatIsNoneIsRefused) {
  EXPECT_FALSE(JsonMetric::create({}).has_value());
  EXPECT_FALSE(JsonMetric::create(pointer("results/0")).has_value());
}

}  // namespace
}  // namespace hone
