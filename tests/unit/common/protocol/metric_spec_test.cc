#include "common/protocol/metric_spec.h"

#include "tests/unit/common/protocol/refusals.h"

namespace hone {
namespace {

TEST(MetricSpec, RoundTrips) {
  MetricSpec specs[5];
  specs[0].metric = Metric::wall_time;
  for (int i = 1; i < 5; ++i) {
    specs[i].metric = Metric::printed;
  }
  specs[1].pattern = "([0-9]+) MB/s";
  specs[1].higher_is_better = true;
  specs[2].json = "/results/0/mean";
  specs[3].format = MetricFormat::google_benchmark;
  specs[4].format = MetricFormat::bmf;
  specs[4].benchmark = "parse";
  specs[4].field = "throughput";
  for (const MetricSpec& spec : specs) {
    const Result<MetricSpec> back = parse_metric_spec(to_json(spec));
    ASSERT_TRUE(back.has_value()) << back.error().describe();
    EXPECT_EQ(*back, spec);
  }
}

TEST(MetricSpec, WhatContradictsItselfIsRefusedByPointer) {
  const std::pair<const char*, const char*> cases[] = {
      {R"x({"metric": "speed"})x", "/metric"},
      {R"x({"metric": "printed"})x", "/pattern"},
      {R"x({"metric": "printed", "pattern": "(a)", "json": "/a"})x", "/pattern"},
      {R"x({"metric": "printed", "json": "/a", "format": "bmf"})x", "/json"},
      {R"x({"metric": "printed", "pattern": "no group"})x", "/pattern"},
      {R"x({"metric": "printed", "pattern": "("})x", "/pattern"},
      {R"x({"metric": "printed", "json": "a/b"})x", "/json"},
      {R"x({"metric": "printed", "format": "tap"})x", "/format"},
      {R"x({"metric": "printed", "json": "/a", "benchmark": "x"})x", "/benchmark"},
      {R"x({"metric": "printed", "pattern": "(a)", "field": "x"})x", "/field"},
      {R"x({"metric": "cpu_time", "json": "/a"})x", "/json"},
      {R"x({"metric": "text_bytes", "pattern": "(a)"})x", "/pattern"},
      {R"x({"metric": "energy", "higher_is_better": true})x", "/higher_is_better"},
      {R"x({"metric": "cpu_time", "higher_is_better": true})x", "/higher_is_better"},
      {R"x({"metric": "compile_time", "pattern": "(a)"})x", "/pattern"},
      {R"x({"metric": "compile_time", "higher_is_better": true})x", "/higher_is_better"},
      {R"x({"metric": "cpu_time", "unit": "s"})x", "/unit"}};
  for (const auto& [text, pointer] : cases) {
    EXPECT_EQ(refused(parse_metric_spec(Json::parse(text))), Pointers{pointer}) << text;
  }
}

TEST(MetricSpec, SizesAndInstructionsRepeat) {
  for (const Metric metric : {Metric::text_bytes, Metric::binary_bytes}) {
    EXPECT_TRUE(is_file_size(metric) && is_repeatable(metric)) << to_string(metric);
  }
  EXPECT_TRUE(is_repeatable(Metric::instructions));
  EXPECT_FALSE(is_file_size(Metric::instructions));
  for (const Metric metric :
       {Metric::cpu_time, Metric::wall_time, Metric::printed, Metric::peak_rss_bytes,
        Metric::hardware_instructions, Metric::cycles, Metric::energy, Metric::compile_time}) {
    EXPECT_FALSE(is_file_size(metric) || is_repeatable(metric)) << to_string(metric);
    EXPECT_EQ(is_of_build(metric), metric == Metric::compile_time) << to_string(metric);
  }
}

}  // namespace
}  // namespace hone
