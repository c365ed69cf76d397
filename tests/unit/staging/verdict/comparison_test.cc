// What compare() measures and says of it, on a fake bench.
#include "staging/verdict/comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "tests/unit/staging/verdict/compared_benches.h"

namespace hone {
namespace {

TEST(Comparison, FindsAFasterCandidateAtTheFirstLook) {
  const Comparison result = compare_with(noisy(0.9));
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_EQ(result.verdict, Verdict::faster);
  ASSERT_TRUE(result.reward.has_value());
  EXPECT_NEAR(result.reward->value, -std::log(0.9), 0.01);
  EXPECT_LT(result.reward->low, result.reward->value);
  EXPECT_GT(result.reward->high, result.reward->value);
  EXPECT_EQ(result.reward->pairs, 12);
  EXPECT_GT(result.reward->noise, 0);
  EXPECT_GT(result.reward->detectable_effect, 0);
  EXPECT_EQ(result.samples.size(), 24U);
}

TEST(Comparison, FindsASlowerCandidateAndNoChange) {
  EXPECT_EQ(compare_with(noisy(1.1)).verdict, Verdict::slower);
  EXPECT_EQ(compare_with(noisy(1.0)).verdict, Verdict::no_change);
}

TEST(Comparison, ARaceEndsAfterItsPairsAndAConfirmationGoesOn) {
  ComparisonPlan plan;
  const auto make = noisy(0.985, 0.12);
  const Comparison race = compare_with(make, plan);
  ASSERT_EQ(race.outcome, Outcome::ok);
  EXPECT_LE(race.reward->pairs, static_cast<std::int64_t>(kRacePairs));
  plan.stage = Stage::confirm;
  const Comparison confirm = compare_with(noisy(0.985, 0.12), plan);
  ASSERT_EQ(confirm.outcome, Outcome::ok);
  EXPECT_GT(confirm.reward->pairs, static_cast<std::int64_t>(kRacePairs));
}

TEST(Comparison, RunsBalancedPairsInAnOrderTheSeedDecides) {
  const auto orders = [](std::uint64_t seed) {
    ComparisonPlan plan;
    plan.seed = seed;
    const Comparison result = compare_with(noisy(1.0, 0.2), plan);
    std::vector<bool> candidate_first;
    for (const Sample& sample : result.samples) {
      if (sample.position == 0) {
        candidate_first.push_back(sample.role == SampleRole::candidate);
      }
      EXPECT_EQ(sample.block, sample.pair / 4);
    }
    return candidate_first;
  };
  const std::vector<bool> first = orders(1);
  ASSERT_GE(first.size(), 12U);
  for (std::size_t block = 0; block + 4 <= first.size(); block += 4) {
    EXPECT_EQ(std::count(first.begin() + static_cast<std::ptrdiff_t>(block),
                         first.begin() + static_cast<std::ptrdiff_t>(block + 4), true),
              2);
  }
  EXPECT_EQ(orders(1), first);
  EXPECT_NE(orders(2), first);
}

TEST(Comparison, BothRunsOfAPairHaveOneStackPadding) {
  FakeBench bench(noisy(0.9));
  ASSERT_EQ(compare(bench, {}, {}).outcome, Outcome::ok);
  std::set<std::size_t> paddings;
  for (std::size_t i = 3; i + 1 < bench.log.size(); i += 2) {  // after the three checking runs
    EXPECT_EQ(bench.log[i].padding, bench.log[i + 1].padding);
    EXPECT_NE(bench.log[i].role, bench.log[i + 1].role);
    paddings.insert(bench.log[i].padding);
  }
  EXPECT_GT(paddings.size(), 6U);
}

TEST(Comparison, EachInputCountsAlikeHoweverLongItRuns) {
  ComparisonPlan plan;
  plan.benchmark.inputs = {{.name = "short", .file = "a", .expected_output_sha256 = ""},
                           {.name = "long", .file = "b", .expected_output_sha256 = ""}};
  // 20 % faster on the short one, the same on the long one: the geometric mean says 10.6 %.
  auto random = std::make_shared<Random>(3);
  const Comparison result = compare_with(
      [=](SampleRole role, std::size_t input, int) {
        const double noise = 1 + 0.002 * random->uniform();
        return took(noise * (input == 1 ? 100.0 : is_candidate(role) ? 0.8 : 1.0));
      },
      plan);
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_NEAR(result.reward->value, -std::log(0.8) / 2, 0.003);
  EXPECT_EQ(result.samples.size(), 2U * 2U * 12U);
  EXPECT_EQ(result.samples[0].input, "short");
  EXPECT_EQ(result.samples[2].input, "long");
}

TEST(Comparison, ASampleOfAShortBenchmarkIsTheMeanOfSeveralRuns) {
  FakeBench bench(
      [](SampleRole role, std::size_t, int) { return took(is_candidate(role) ? 0.004 : 0.005); });
  const Comparison result = compare(bench, {}, {});
  ASSERT_EQ(result.outcome, Outcome::ok);
  EXPECT_EQ(bench.log.size(), 3U + 12U * 2U * 4U);
  EXPECT_NEAR(result.samples[0].value, 0.0045, 0.00051);
}

TEST(Comparison, EndsHaveOutcomesOfTheirOwn) {
  struct Case {
    SampleRole role;
    RunClass run_class;
    Outcome outcome;
  };
  for (const Case& c : std::vector<Case>{
           {SampleRole::candidate, RunClass::failed, Outcome::miscompiled},
           {SampleRole::candidate, RunClass::no_metric, Outcome::miscompiled},
           {SampleRole::candidate, RunClass::timed_out, Outcome::timed_out},
           {SampleRole::candidate, RunClass::limit_exceeded, Outcome::limit_exceeded},
           {SampleRole::candidate, RunClass::not_started, Outcome::miscompiled},
           {SampleRole::baseline, RunClass::failed, Outcome::benchmark_failed},
           {SampleRole::baseline, RunClass::no_metric, Outcome::benchmark_failed},
           {SampleRole::baseline, RunClass::timed_out, Outcome::benchmark_failed},
           {SampleRole::baseline, RunClass::limit_exceeded, Outcome::benchmark_failed}}) {
    const Comparison result = compare_with([&](SampleRole role, std::size_t, int) {
      return role == c.role ? broke(c.run_class, "the reason") : took(1);
    });
    EXPECT_EQ(result.outcome, c.outcome) << to_string(c.run_class);
    EXPECT_NE(result.reason.find("the reason"), std::string::npos) << result.reason;
    EXPECT_NE(result.reason.find(to_string(c.role)), std::string::npos) << result.reason;
    EXPECT_FALSE(result.reward.has_value());
  }
}

TEST(Comparison, ANumberOfZeroIsTheCandidatesFaultOnlyIfItPrintedIt) {
  const auto outcome = [](Metric metric) {
    ComparisonPlan plan;
    plan.benchmark.metric.metric = metric;
    return compare_with(
               [](SampleRole role, std::size_t, int) {
                 BenchmarkRun run = took(1);
                 run.printed = run.counted = is_candidate(role) ? 0 : 1;
                 return run;
               },
               plan)
        .outcome;
  };
  EXPECT_EQ(outcome(Metric::printed), Outcome::miscompiled);
  EXPECT_EQ(outcome(Metric::energy), Outcome::benchmark_failed);
}

TEST(Comparison, WhatTheMachineCannotStartIsNotTheCandidatesFault) {
  const Comparison result = compare_with([](SampleRole role, std::size_t, int) {
    BenchmarkRun run = took(1);
    if (is_candidate(role)) {
      run = broke(RunClass::not_started, "no sandbox");
      run.error = fail(ErrorCode::unavailable, "no sandbox");
    }
    return run;
  });
  EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
}

TEST(Comparison, StopsInTheMiddleAndKeepsItsSamples) {
  std::stop_source source;
  FakeBench bench([&](SampleRole role, std::size_t, int count) {
    if (is_candidate(role) && count == 5) {
      source.request_stop();
    }
    return took(1);
  });
  const Comparison result = compare(bench, {}, source.get_token());
  EXPECT_EQ(result.outcome, Outcome::cancelled);
  EXPECT_FALSE(result.reward.has_value());
  EXPECT_GE(result.samples.size(), 8U);
  EXPECT_LE(result.samples.size(), 12U);
}

// Noise of a pair 0.3 %, and eight links a side; where the candidate's lie makes it slower by 2 %
// on average, as a pool of a few unlucky links would.
TEST(Comparison, AStopKeepsTheEstimateOfEnoughPairs) {
  for (const std::size_t pairs : {std::size_t{3}, std::size_t{9}}) {
    std::stop_source stop;
    ComparisonPlan plan;
    plan.on_pair = [&](const SequentialDecision& so_far) {
      if (so_far.pairs == pairs) {
        stop.request_stop();
      }
    };
    FakeBench bench(noisy(0.9));
    const Comparison result = compare(bench, plan, stop.get_token());
    EXPECT_EQ(result.outcome, Outcome::cancelled);
    EXPECT_FALSE(result.verdict.has_value());
    ASSERT_EQ(result.reward.has_value(), pairs >= kFewestShown) << pairs;
    if (result.reward) {
      EXPECT_EQ(result.reward->pairs, 9);
      EXPECT_NEAR(result.reward->value, -std::log(0.9), 0.01);
    }
  }
}

TEST(Comparison, ADifferenceThatLinksOfEqualCodeShowIsWithinNoise) {
  const auto with_links = [](double candidate_shift) {
    FakeBench bench(noisy(1.0, 0.01));
    bench.layout_count = 8;
    bench.layout_factor = [=](const BenchRun& run) {
      const double place = (static_cast<double>(run.layout) - 3.5) * 0.015;
      return 1 + place + (is_candidate(run.role) ? candidate_shift : 0);
    };
    ComparisonPlan plan;
    plan.stage = Stage::confirm;
    Comparison result = compare(bench, plan, {});
    EXPECT_EQ(result.outcome, Outcome::ok) << result.reason;
    return result;
  };
  const Comparison small = with_links(0.02);
  EXPECT_EQ(small.verdict, Verdict::within_noise);
  EXPECT_NEAR(small.layout_sigma, 0.034, 0.01);
  EXPECT_FALSE(small.warnings.empty());
  EXPECT_EQ(with_links(0.08).verdict, Verdict::slower);
}

TEST(Comparison, EachLinkIsRunAsOftenAndNotedInItsSamples) {
  FakeBench bench(noisy(1.0, 0.01));
  bench.layout_count = 4;
  const Comparison result = compare(bench, {}, {});
  std::map<std::pair<bool, std::int64_t>, int> counts;
  for (const Sample& sample : result.samples) {
    ++counts[{is_candidate(sample.role), sample.layout}];
  }
  ASSERT_EQ(counts.size(), 8U);
  for (const auto& [key, count] : counts) {
    EXPECT_EQ(count, static_cast<int>(result.samples.size()) / 8);
  }
}

TEST(Comparison, TellsWhatIsKnownAfterEachPair) {
  FakeBench bench(noisy(0.9));
  ComparisonPlan plan;
  std::vector<std::size_t> told;
  plan.on_pair = [&](const SequentialDecision& so_far) { told.push_back(so_far.pairs); };
  const Comparison result = compare(bench, plan, {});
  ASSERT_EQ(told.size(), 12U);
  EXPECT_EQ(told.front(), 1U);
  EXPECT_EQ(told.back(), static_cast<std::size_t>(result.reward->pairs));
}

}  // namespace
}  // namespace hone
