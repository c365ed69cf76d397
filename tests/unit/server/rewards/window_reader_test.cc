// Windows from raw samples: increases, resets, gaps, and replies of Prometheus that are none.
#include "server/rewards/window_reader.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr WindowSpan kSpan{.start = 100, .seconds = 10, .most_age = 2};

RawSeries counter(std::map<std::string, std::string> labels,
                  const std::vector<std::pair<double, double>>& samples) {
  RawSeries series;
  series.labels = std::move(labels);
  for (const auto& [time, value] : samples) {
    series.samples.push_back({time, value});
  }
  return series;
}

// An instance whose buckets 0.1 and +Inf count up from `first` to `last` over the window.
std::vector<RawSeries> instance(const std::string& name, double first_low, double last_low,
                                double first_all, double last_all) {
  return {counter({{"instance", name}, {"le", "0.1"}},
                  {{99, first_low}, {104, first_low}, {109, last_low}}),
          counter({{"instance", name}, {"le", "+Inf"}},
                  {{99, first_all}, {104, first_all}, {109, last_all}})};
}

GroupWindow window_of(const GroupSeries& series, const WindowSpan& span = kSpan) {
  const Result<GroupWindow> window = read_window(series, BucketBounds{0.1}, span);
  EXPECT_TRUE(window.has_value()) << window.error().message;
  return window.has_value() ? *window : GroupWindow{};
}

TEST(WindowReader, AddsInstances) {
  std::vector<RawSeries> buckets = instance("a", 10, 30, 20, 50);
  for (RawSeries& series : instance("b", 0, 5, 0, 6)) {
    buckets.push_back(std::move(series));
  }
  const std::vector<RawSeries> failures{counter({{"instance", "a"}}, {{99, 1}, {109, 3}})};
  const std::vector<RawSeries> cpu{counter({}, {{99.5, 7}, {109.5, 7.5}})};
  const GroupWindow window = window_of({buckets, failures, cpu});
  EXPECT_EQ(window.outcome, WindowOutcome::ok);
  EXPECT_EQ(window.latencies, (std::vector<double>{25, 11}));
  EXPECT_EQ(window.requests, 36);
  EXPECT_EQ(window.failures, 2);
  EXPECT_EQ(window.cpu_seconds, 0.5);
}

TEST(WindowReader, SaysWhyAWindowTellsNothing) {
  EXPECT_EQ(window_of({}).outcome, WindowOutcome::no_data);
  EXPECT_EQ(window_of({instance("a", 5, 5, 9, 9), {}, {}}).outcome, WindowOutcome::no_traffic);
  EXPECT_EQ(window_of({instance("a", 5, 4, 9, 12), {}, {}}).outcome, WindowOutcome::counter_reset);
  EXPECT_EQ(window_of({instance("a", 5, NAN, 9, 12), {}, {}}).outcome, WindowOutcome::not_a_number);
  // Cumulative counts that fall from one bucket to the next.
  EXPECT_EQ(window_of({instance("a", 0, 9, 0, 3), {}, {}}).outcome, WindowOutcome::not_a_number);
  const std::vector<RawSeries> buckets = instance("a", 0, 9, 0, 12);
  EXPECT_EQ(window_of({buckets, {}, {}}, {.start = 105, .seconds = 10, .most_age = 2}).outcome,
            WindowOutcome::scrape_gap);
  // An instance whose first sample lies within the window began in it.
  EXPECT_EQ(window_of({buckets, {}, {}}, {.start = 95, .seconds = 15, .most_age = 2}).outcome,
            WindowOutcome::counter_reset);
  const std::vector<RawSeries> too_many{counter({}, {{99, 0}, {109, 13}})};
  EXPECT_EQ(window_of({buckets, too_many, {}}).outcome, WindowOutcome::not_a_number);
  const std::vector<RawSeries> fell{counter({}, {{99, 3}, {104, 0}, {109, 4}})};
  EXPECT_EQ(window_of({buckets, fell, {}}).outcome, WindowOutcome::counter_reset);
}

TEST(WindowReader, NeighbouringWindowsCountEverythingOnce) {
  std::vector<std::pair<double, double>> samples;
  for (int second = 0; second <= 60; ++second) {
    samples.emplace_back(90.4 + second, 7.0 * second);
  }
  const std::vector<RawSeries> buckets{counter({{"le", "0.1"}}, samples),
                                       counter({{"le", "+Inf"}}, samples)};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += window_of({buckets, {}, {}}, {.start = 100.0 + 10 * i, .seconds = 10, .most_age = 2})
               .requests;
  }
  EXPECT_EQ(sum,
            window_of({buckets, {}, {}}, {.start = 100, .seconds = 40, .most_age = 2}).requests);
}

TEST(WindowReader, BoundsMustAgree) {
  const Result<BucketBounds> bounds = bucket_bounds(instance("a", 0, 0, 0, 0));
  ASSERT_TRUE(bounds.has_value());
  EXPECT_EQ(*bounds, BucketBounds{0.1});
  EXPECT_TRUE(bucket_bounds({})->empty());
  std::vector<RawSeries> buckets = instance("a", 0, 0, 0, 0);
  buckets.push_back(counter({{"instance", "b"}, {"le", "+Inf"}}, {}));
  EXPECT_FALSE(bucket_bounds(buckets));
  EXPECT_FALSE(bucket_bounds(std::vector{counter({{"le", "0.1"}}, {})}));
  EXPECT_FALSE(bucket_bounds(std::vector{counter({{"le", "low"}}, {})}));
}

TEST(RawSeries, OfAReply) {
  const Result<std::vector<RawSeries>> series = parse_matrix(
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"le":"+Inf"},
          "values":[[1.5,"3"],[2.5,"NaN"],[3,"+Inf"],[4,"-Inf"]]}]}})");
  ASSERT_TRUE(series.has_value()) << series.error().message;
  ASSERT_EQ(series->size(), 1U);
  EXPECT_EQ(series->front().label("le"), "+Inf");
  EXPECT_EQ(series->front().label("job"), "");
  EXPECT_EQ(series->front().samples[0].value, 3);
  EXPECT_TRUE(std::isnan(series->front().samples[1].value));
  EXPECT_TRUE(std::isinf(series->front().samples[3].value));
}

TEST(RawSeries, RefusesWhatIsNoMatrix) {
  for (
      const char* reply :
      {"", "[]", "{}", R"({"status":"success"})",
       R"({"status":"success","data":{"resultType":"vector","result":[]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":1},"values":[]}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,2]]}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"x"]]}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[2,"1"],[1,"1"]]}]}})"}) {
    EXPECT_FALSE(parse_matrix(reply)) << reply;
  }
  const Result<std::vector<RawSeries>> refused =
      parse_matrix(R"({"status":"error","errorType":"bad_data","error":"parse error: no"})");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("parse error: no"), std::string::npos);
}

}  // namespace
}  // namespace hone
