// Metrics that are the same in every run: no test is needed, and no difference is too small.
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "staging/verdict/comparison.h"
#include "staging/verdict/race.h"
#include "staging/verdict/self_check.h"
#include "tests/unit/staging/verdict/fake_bench.h"

namespace hone {
namespace {

bool is_candidate(const BenchRun& wanted) {
  return wanted.role == SampleRole::candidate;
}

ComparisonPlan plan_for(Metric metric) {
  ComparisonPlan plan;
  plan.benchmark.metric.metric = metric;
  return plan;
}

// A program of a million instructions, the candidate of as many more.
FakeBench::Make instructions(double more) {
  return [=](SampleRole role, std::size_t, int) {
    return counted(1e6 + (role == SampleRole::candidate ? more : 0));
  };
}

void expect_exact(const Comparison& result, double value, std::int64_t pairs) {
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  ASSERT_TRUE(result.reward.has_value());
  EXPECT_NEAR(result.reward->value, value, 1e-12);
  EXPECT_EQ(result.reward->low, result.reward->value);
  EXPECT_EQ(result.reward->high, result.reward->value);
  EXPECT_EQ(result.reward->noise, 0);
  EXPECT_EQ(result.reward->detectable_effect, 0);
  EXPECT_EQ(result.reward->pairs, pairs);
  EXPECT_TRUE(result.warnings.empty());
}

TEST(RepeatableMetric, TwoPairsThatAgreeAreEnoughForADifferenceOfAnySize) {
  const ComparisonPlan plan = plan_for(Metric::instructions);
  FakeBench fewer(instructions(-1));
  const Comparison better = compare(fewer, plan, {});
  expect_exact(better, std::log(1e6 / (1e6 - 1)), 2);
  EXPECT_EQ(better.verdict, Verdict::faster);
  EXPECT_EQ(better.samples.size(), 4U);
  EXPECT_EQ(better.samples[0].metric, Metric::instructions);
  FakeBench more(instructions(1));
  EXPECT_EQ(compare(more, plan, {}).verdict, Verdict::slower);
  FakeBench same(instructions(0));
  const Comparison none = compare(same, plan, {});
  expect_exact(none, 0, 2);
  EXPECT_EQ(none.verdict, Verdict::no_change);
}

TEST(RepeatableMetric, ItsResultHoldsOnTheWire) {
  FakeBench bench(instructions(-1000));
  const Comparison comparison = compare(bench, plan_for(Metric::instructions), {});
  AttemptResult result;
  result.outcome = comparison.outcome;
  result.verdict = comparison.verdict;
  result.reward = comparison.reward;
  result.samples = comparison.samples;
  const Result<AttemptResult> back = parse_attempt_result(to_json(result), UnknownKeys::refuse);
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  EXPECT_EQ(*back, result);
}

TEST(RepeatableMetric, OutputsAreCheckedOnTheProgramAsItIsAndThenItIsCounted) {
  FakeBench bench(instructions(-1));
  ASSERT_EQ(compare(bench, plan_for(Metric::instructions), {}).outcome, Outcome::ok);
  ASSERT_EQ(bench.log.size(), 7U);
  for (std::size_t run = 0; run < bench.log.size(); ++run) {
    EXPECT_EQ(bench.log[run].purpose, run < 3 ? RunPurpose::check : RunPurpose::measure) << run;
    EXPECT_EQ(bench.log[run].padding, 0U) << "the stack stays where it is";
  }
}

TEST(RepeatableMetric, OneThatVariesAfterAllIsTestedAsAnyOther) {
  FakeBench bench([](SampleRole role, std::size_t, int count) {
    return counted((role == SampleRole::candidate ? 0.9 : 1.0) * (1e6 + count % 7));
  });
  const Comparison result = compare(bench, plan_for(Metric::instructions), {});
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_EQ(result.verdict, Verdict::faster);
  EXPECT_EQ(result.reward->pairs, 12);
  EXPECT_GT(result.reward->noise, 0);
  EXPECT_EQ(result.samples.size(), 24U) << "the two pairs are not among them";
  std::set<std::int64_t> pairs;
  for (const Sample& sample : result.samples) {
    pairs.insert(sample.pair);
  }
  EXPECT_EQ(pairs.size(), 12U);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_NE(result.warnings.front().find("different instructions"), std::string::npos);
}

// A candidate that runs well by itself and dies when it is counted.
FakeBench::Make not_emulated(const BenchmarkRun& end) {
  return [=](SampleRole role, std::size_t, int count) {
    return role == SampleRole::candidate && count > 0 ? end : counted(1e6);
  };
}

TEST(RepeatableMetric, WhatOnlyTheEmulationCannotRunIsNotMiscompiled) {
  BenchmarkRun other = counted(1e6);
  other.output_sha256 = "other";
  if (!other.outputs.empty()) {
    other.outputs.front().sha256 = "other";
  }
  for (const BenchmarkRun& end :
       {broke(RunClass::failed, "killed by signal 4"), broke(RunClass::timed_out, "late"), other}) {
    FakeBench bench(not_emulated(end));
    const Comparison result = compare(bench, plan_for(Metric::instructions), {});
    EXPECT_EQ(result.outcome, Outcome::benchmark_failed) << result.reason;
    EXPECT_NE(result.reason.find("AVX-512"), std::string::npos) << result.reason;
    EXPECT_FALSE(result.reward.has_value());
  }
}

TEST(RepeatableMetric, InARaceItLeavesAloneTheOthersGoOn) {
  FakeBench bench([](SampleRole role, std::size_t, int count) {
    // Of two candidates, each checked once: the first that is counted dies.
    return role == SampleRole::candidate && count == 2 ? broke(RunClass::failed, "signal 4")
                                                       : counted(1e6);
  });
  bench.candidate_count = 2;
  RacePlan plan;
  plan.benchmark.metric.metric = Metric::instructions;
  const Race result = race(bench, plan, {});
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  ASSERT_EQ(result.entries.size(), 2U);
  EXPECT_EQ(result.entries[0].outcome, Outcome::ok);
  EXPECT_EQ(result.entries[1].outcome, Outcome::benchmark_failed);
}

TEST(RepeatableMetric, ASizeTakesNoRunButTheChecks) {
  FakeBench bench([](SampleRole, std::size_t, int) { return took(1); });
  bench.known = [](const BenchRun& wanted) { return is_candidate(wanted) ? 900.0 : 1000.0; };
  const ComparisonPlan plan = plan_for(Metric::text_bytes);
  const Comparison result = compare(bench, plan, {});
  expect_exact(result, std::log(1000.0 / 900.0), 1);
  EXPECT_EQ(result.verdict, Verdict::faster);
  EXPECT_EQ(result.samples.size(), 2U);
  EXPECT_EQ(result.samples[0].value, 1000);
  EXPECT_EQ(bench.log.size(), 3U) << "the baseline twice, the candidate once";
}

TEST(RepeatableMetric, ASmallerProgramThatIsWrongIsMiscompiled) {
  FakeBench bench([](SampleRole role, std::size_t, int) {
    return took(1, role == SampleRole::candidate ? "wrong" : "right");
  });
  bench.known = [](const BenchRun& wanted) { return is_candidate(wanted) ? 1.0 : 1000.0; };
  const Comparison result = compare(bench, plan_for(Metric::binary_bytes), {});
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_FALSE(result.reward.has_value());
}

TEST(RepeatableMetric, ARaceTakesOneBlock) {
  FakeBench bench([](SampleRole, std::size_t, int) { return took(1); });
  bench.candidate_count = 5;
  const double sizes[] = {1010, 980, 1000, 970, 990};
  bench.known = [&](const BenchRun& wanted) {
    return is_candidate(wanted) ? sizes[wanted.candidate] : 1000.0;
  };
  RacePlan plan;
  plan.benchmark.metric.metric = Metric::text_bytes;
  const Race result = race(bench, plan, {});
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  std::vector<std::size_t> order;
  for (const RaceEntry& entry : result.entries) {
    order.push_back(entry.candidate);
    EXPECT_EQ(entry.blocks, 1U);
    EXPECT_DOUBLE_EQ(entry.reward, std::log(1000.0) - std::log(sizes[entry.candidate]));
  }
  EXPECT_EQ(order, (std::vector<std::size_t>{3, 1, 4, 2, 0}));
  EXPECT_EQ(bench.log.size(), 2U + 5U) << "the checks alone";
}

TEST(RepeatableMetric, ABaselineIsAsLargeAsItself) {
  FakeBench bench([](SampleRole, std::size_t, int) { return took(1); });
  bench.known = [](const BenchRun& wanted) { return is_candidate(wanted) ? 900.0 : 1000.0; };
  const std::optional<SelfCheck> check = self_check(bench, plan_for(Metric::text_bytes), {});
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->verdict, Verdict::no_change);
  EXPECT_EQ(check->baseline_value, 1000);
}

}  // namespace
}  // namespace hone
