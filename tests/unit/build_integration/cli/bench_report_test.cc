#include "build_integration/cli/bench_report.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/pair_plot.h"
#include "build_integration/cli/sample_pairs.h"

namespace hone {
namespace {

using testing::HasSubstr;

// Twelve pairs in which the candidate needs a tenth less, every other one in the other order.
BenchReport measured() {
  BenchReport report;
  report.baseline = "./old";
  report.candidates = {"./new"};
  for (std::int64_t pair = 0; pair < 12; ++pair) {
    const bool baseline_first = pair % 2 == 0;
    for (const SampleRole role : {SampleRole::baseline, SampleRole::candidate}) {
      Sample sample;
      sample.pair = pair;
      sample.position = (role == SampleRole::baseline) == baseline_first ? 0 : 1;
      sample.role = role;
      sample.value = role == SampleRole::baseline ? 0.1 : 0.09;
      report.comparison.samples.push_back(sample);
    }
  }
  report.comparison.verdict = Verdict::faster;
  RewardEstimate reward;
  reward.value = std::log(0.1 / 0.09);
  reward.low = reward.value - 0.01;
  reward.high = reward.value + 0.01;
  reward.pairs = 12;
  report.comparison.reward = reward;
  report.pairs = *pairs_of(report.comparison.samples, report.metric);
  return report;
}

TEST(BenchReport, PairsComeFromTheSamplesWithTheirOrder) {
  BenchReport report = measured();
  const std::vector<PairedSample> pairs = report.pairs;
  ASSERT_EQ(pairs.size(), 12U);
  EXPECT_NEAR(pairs[0].log_ratio, std::log(0.1 / 0.09), 1e-12);
  EXPECT_EQ(pairs[0].order, RunOrder::baseline_first);
  EXPECT_EQ(pairs[1].order, RunOrder::candidate_first);
  report.comparison.samples.pop_back();  // stopped in the middle of a pair
  EXPECT_EQ(pairs_of(report.comparison.samples, report.metric)->size(), 11U);
  for (Sample& sample : report.comparison.samples) {
    sample.metric = Metric::printed;
  }
  // Less throughput is worse.
  MetricSpec throughput;
  throughput.metric = Metric::printed;
  throughput.higher_is_better = true;
  EXPECT_LT((*pairs_of(report.comparison.samples, throughput))[0].log_ratio, 0);
}

TEST(BenchReport, TextNamesVerdictRewardPairsAndCommands) {
  BenchReport report = measured();
  const std::string text = bench_text(report, 80);
  EXPECT_THAT(text,
              HasSubstr("faster: +11.1 % [+10.0, +12.2] (cpu_time, 95 % interval, 12 pairs)"));
  EXPECT_THAT(text, HasSubstr("100.00 ms  ./old"));
  EXPECT_THAT(text, HasSubstr("90.00 ms  ./new"));
  EXPECT_THAT(text, HasSubstr("One link a side"));
  report.comparison.warnings = {"a doubt"};
  EXPECT_THAT(bench_text(report, 80), HasSubstr("warning: a doubt"));
}

TEST(BenchReport, ASizeIsSmallerAndHasNoPlot) {
  BenchReport report = measured();
  report.metric.metric = Metric::text_bytes;
  report.comparison.samples.resize(2);
  report.comparison.samples[0].value = 2200000;
  report.comparison.samples[1].value = 2000000;
  RewardEstimate reward;
  reward.value = reward.low = reward.high = std::log(1.1);
  reward.pairs = 1;
  report.comparison.reward = reward;
  EXPECT_EQ(bench_text(report, 80),
            "smaller by 9.1 % (text_bytes, the same in every run)\n\n"
            "baseline   2,200,000 bytes  ./old\n"
            "candidate  2,000,000 bytes  ./new\n");
  EXPECT_EQ(bench_json(report)["verdict"], "faster") << "machines read one set of words";
  report.comparison.verdict = Verdict::no_change;
  report.comparison.reward->value = report.comparison.reward->low = report.comparison.reward->high =
      0;
  EXPECT_THAT(bench_text(report, 80), HasSubstr("no change (text_bytes, "));
}

TEST(BenchReport, AnOutcomeWithoutARewardIsToldWithItsReason) {
  BenchReport report = measured();
  report.comparison.outcome = Outcome::miscompiled;
  report.comparison.reason = "the candidate's output differs";
  report.comparison.verdict.reset();
  report.comparison.reward.reset();
  EXPECT_EQ(bench_text(report, 80), "miscompiled: the candidate's output differs\n");
  EXPECT_TRUE(bench_json(report)["reward"].is_null());
  EXPECT_EQ(bench_json(report)["samples"].size(), 24U);
}

TEST(BenchReport, JsonAndCsvHoldEveryRun) {
  const BenchReport report = measured();
  const Json document = bench_json(report);
  EXPECT_EQ(document["verdict"], "faster");
  EXPECT_EQ(document["samples"].size(), 24U);
  EXPECT_EQ(document["samples"][1]["role"], "candidate");
  const std::string csv = bench_csv(report);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 25);
  EXPECT_THAT(csv, HasSubstr("\n0,0,0,0,baseline,0.1\n"));
}

TEST(PairPlot, ADotAPair) {
  const std::vector<PairedSample> pairs = {{0.01, RunOrder::baseline_first},
                                           {0.03, RunOrder::candidate_first}};
  const std::string text = pair_plot(pairs, {0.01, 0.02, 0.03}, 60);
  std::size_t dots = 0;
  for (std::size_t at = text.find("●"); at != std::string::npos; at = text.find("●", at + 1)) {
    ++dots;
  }
  EXPECT_EQ(dots, 2U);
  EXPECT_THAT(text, HasSubstr("◆"));
  EXPECT_EQ(pair_plot({}, {}, 60), "");
}

TEST(PairPlot, SvgHasADotAPairAndItsTitleIsText) {
  const std::vector<PairedSample> pairs(20, {0.01, RunOrder::baseline_first});
  const std::string svg = pair_plot_svg(pairs, {0.0, 0.01, 0.02}, "<script>&\"");
  std::size_t dots = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos;
       at = svg.find("<circle", at + 1)) {
    ++dots;
  }
  EXPECT_EQ(dots, 20U);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&amp;&quot;"));
}

TEST(BenchReport, WhatWasKnownWhenItWasStoppedIsNoVerdict) {
  BenchReport report = measured();
  report.comparison.outcome = Outcome::cancelled;
  report.comparison.verdict.reset();
  const std::string text = bench_text(report, 80);
  EXPECT_THAT(text, HasSubstr("cancelled after 12 pairs; so far +11.1 %"));
}

}  // namespace
}  // namespace hone
