#include "staging/verdict/race.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/unit/staging/verdict/fake_bench.h"

namespace hone {
namespace {

// Candidate `best` takes a tenth less than the others and the baseline, with some noise.
class Field final : public Bench {
 public:
  Field(std::size_t candidates, std::size_t best) : candidates_(candidates), best_(best) {}

  std::size_t candidates() const override { return candidates_; }
  BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) override {
    if (stop.stop_requested()) {
      return broke(RunClass::stopped, "");
    }
    log.push_back(wanted);
    const bool candidate = wanted.role == SampleRole::candidate;
    if (candidate && wanted.candidate == broken) {
      const auto ran =
          static_cast<std::size_t>(std::ranges::count_if(log, [&](const BenchRun& run) {
            return run.role == SampleRole::candidate && run.candidate == broken;
          }));
      if (ran > broken_after && (!broken_in_check || wanted.input > 0)) {
        return break_as;
      }
    }
    const double factor = candidate && wanted.candidate == best_ ? 0.9 : 1.0;
    return took(factor * (1 + 0.02 * (random_.uniform() - 0.5)));
  }

  std::vector<BenchRun> log;
  std::size_t broken = SIZE_MAX;
  std::size_t broken_after = 0;  // runs
  bool broken_in_check = false;  // and nowhere else
  BenchmarkRun break_as = broke(RunClass::failed, "died of signal 11");

 private:
  std::size_t candidates_;
  std::size_t best_;
  Random random_{5};
};

Race race_of(Field& field, std::uint64_t seed = 1, const std::vector<CheckSpec>& checks = {}) {
  RacePlan plan;
  plan.benchmark.checks = checks;
  plan.seed = seed;
  return race(field, plan, {});
}

TEST(Race, TheBestWinsAndIsMeasuredLongest) {
  Field field(10, 6);
  const Race result = race_of(field);
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  ASSERT_EQ(result.entries.size(), 10U);
  EXPECT_EQ(result.entries.front().candidate, 6U);
  EXPECT_NEAR(result.entries.front().reward, -std::log(0.9), 0.01);
  EXPECT_EQ(result.entries.front().blocks, 32U);
  EXPECT_EQ(result.entries.back().blocks, 4U);
  EXPECT_NEAR(result.entries.back().reward, 0, 0.02);
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < result.entries.size(); ++i) {
    seen.insert(result.entries[i].candidate);
    EXPECT_TRUE(i == 0 || result.entries[i].blocks <= result.entries[i - 1].blocks) << i;
  }
  EXPECT_EQ(seen.size(), 10U);
}

TEST(Race, TheBaselineIsSharedByAllOfABlock) {
  Field field(8, 0);
  const Race result = race_of(field);
  // After the checks, two runs of the baseline and one of each candidate: blocks.
  const auto baseline_runs = static_cast<std::size_t>(std::ranges::count_if(
      field.log, [](const BenchRun& run) { return run.role == SampleRole::baseline; }));
  EXPECT_EQ(baseline_runs, 2 + 32U);
  EXPECT_EQ(result.runs, field.log.size() - 10);
  EXPECT_EQ(result.runs, 8 * 9U + 8 * 5U + 16 * 3U);
}

TEST(Race, OrderWithinABlockIsRandomAndOfTheSeed) {
  const auto order = [](std::uint64_t seed) {
    Field field(6, 0);
    (void)race_of(field, seed);
    std::vector<std::size_t> candidates;
    for (std::size_t i = 8; i < field.log.size(); ++i) {
      candidates.push_back(field.log[i].role == SampleRole::baseline ? 99 : field.log[i].candidate);
    }
    return candidates;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(Race, ACandidateThatFailsLeavesAndTheOthersGoOn) {
  for (const std::size_t after : {std::size_t{0}, std::size_t{3}}) {
    Field field(5, 1);
    field.broken = 1;
    field.broken_after = after;
    const Race result = race_of(field);
    ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
    ASSERT_EQ(result.entries.size(), 5U);
    EXPECT_NE(result.entries.front().candidate, 1U);
    EXPECT_EQ(result.entries.back().candidate, 1U);
    EXPECT_EQ(result.entries.back().outcome, Outcome::miscompiled);
    EXPECT_NE(result.entries.back().reason.find("signal 11"), std::string::npos);
  }
}

TEST(Race, ACandidateThatIsWrongInACheckAloneLeaves) {
  Field field(5, 1);
  field.broken = 1;
  field.broken_in_check = true;
  field.break_as = took(1, "another");
  const Race result = race_of(field, 1, {{.name = "tests", .command = {"test"}}});
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_EQ(result.entries.back().candidate, 1U);
  EXPECT_EQ(result.entries.back().outcome, Outcome::miscompiled);
  EXPECT_NE(result.entries.back().reason.find("in check 'tests'"), std::string::npos)
      << result.entries.back().reason;
  // Each of the others once, the baseline twice and, before the blame, eight times more.
  EXPECT_EQ(std::ranges::count_if(field.log, [](const BenchRun& run) { return run.input == 1; }),
            2 + 5 + 8);
}

TEST(Race, AllMayFail) {
  Field field(1, 0);
  field.broken = 0;
  const Race result = race_of(field);
  EXPECT_EQ(result.outcome, Outcome::ok);
  ASSERT_EQ(result.entries.size(), 1U);
  EXPECT_EQ(result.entries.front().outcome, Outcome::miscompiled);
}

TEST(Race, WhatIsNobodysFaultEndsIt) {
  Field field(3, 0);
  field.broken = 2;
  field.broken_after = 2;
  field.break_as = broke(RunClass::not_started, "no sandbox");
  field.break_as.error = fail(ErrorCode::unavailable, "no sandbox");
  const Race result = race_of(field);
  EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
  EXPECT_EQ(result.entries.size(), 3U);
}

TEST(Race, AWithdrawnCandidateLeavesAndTheOthersGoOn) {
  Field field(5, 1);
  field.broken = 1;
  field.broken_after = 8;  // runs: the check and seven blocks
  field.break_as = broke(RunClass::stopped, "");
  const Race result = race_of(field);
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  ASSERT_EQ(result.entries.size(), 5U);
  EXPECT_EQ(result.entries.back().candidate, 1U);
  EXPECT_EQ(result.entries.back().outcome, Outcome::cancelled);
  EXPECT_EQ(result.entries.back().blocks, 7U);
  EXPECT_EQ(result.entries.back().pairs.size(), 7U);
  EXPECT_EQ(result.entries.front().blocks, 32U);
}

TEST(Race, EachCandidatesSamplesArePairsWithTheSharedBaseline) {
  Field field(8, 3);
  RacePlan plan;
  plan.benchmark.inputs = {{"a", "a", ""}, {"b", "b", ""}};
  plan.halving = {.most_rounds = 3, .last_blocks = 24};
  std::vector<std::size_t> left;
  plan.on_leave = [&](const RaceEntry& entry) { left.push_back(entry.blocks); };
  const Race result = race(field, plan, {});
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_EQ(left, (std::vector<std::size_t>{6, 6, 6, 6, 12, 12, 24, 24}));
  EXPECT_EQ(result.runs, 2 * (6 * 9U + 6 * 5U + 12 * 3U));
  const RaceEntry& best = result.entries.front();
  EXPECT_EQ(best.candidate, 3U);
  for (const RaceEntry& entry : result.entries) {
    ASSERT_EQ(entry.pairs.size(), entry.blocks);
    ASSERT_EQ(entry.samples.size(), 4 * entry.blocks);  // two sides, two inputs
    int order = 0;
    for (std::size_t block = 0; block < entry.blocks; ++block) {
      double log_ratio = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        const Sample& sample = entry.samples[4 * block + i];
        EXPECT_EQ(sample.pair, static_cast<std::int64_t>(block));
        EXPECT_EQ(sample.block, static_cast<std::int64_t>(block / 4));
        EXPECT_EQ(sample.position, i / 2);
        EXPECT_EQ(sample.input, i % 2 == 0 ? "a" : "b");
        const bool baseline = sample.role == SampleRole::baseline;
        log_ratio += (baseline ? 0.5 : -0.5) * std::log(sample.value);
        if (baseline && i % 2 == 0) {
          order += i == 0 ? 1 : -1;
          // The baseline's run is the same for all.
          const Sample& other =
              best.samples[4 * block +
                           (best.samples[4 * block].role == SampleRole::baseline ? 0 : 2)];
          EXPECT_EQ(other.value, sample.value);
        }
      }
      EXPECT_NEAR(entry.pairs[block].log_ratio, log_ratio, 1e-12);
    }
    EXPECT_EQ(order, 0) << "before the baseline as often as behind it";
  }
}

TEST(Race, AStopEndsIt) {
  Field field(3, 0);
  std::stop_source stop;
  RacePlan plan;
  plan.on_block = [&](const RaceProgress& progress) {
    EXPECT_EQ(progress.candidates, 3U);
    if (progress.blocks == 2) {
      stop.request_stop();
    }
  };
  plan.on_leave = [](const RaceEntry&) { ADD_FAILURE() << "nobody left before the end"; };
  const Race result = race(field, plan, stop.get_token());
  EXPECT_EQ(result.outcome, Outcome::cancelled);
  EXPECT_EQ(result.entries.front().outcome, Outcome::ok);
}

}  // namespace
}  // namespace hone
