// The metric compile_time: builds are timed, the outputs are those of runs.
#include <cmath>

#include <gtest/gtest.h>

#include "staging/verdict/comparison.h"
#include "staging/verdict/race.h"
#include "staging/verdict/self_check.h"
#include "tests/unit/staging/verdict/fake_bench.h"

namespace hone {
namespace {

ComparisonPlan plan_for(const std::vector<std::string>& inputs) {
  ComparisonPlan plan;
  plan.benchmark.metric.metric = Metric::compile_time;
  for (const std::string& name : inputs) {
    InputSpec input;
    input.name = name;
    plan.benchmark.inputs.push_back(input);
  }
  return plan;
}

// Of a run the output of its input, of a build its time and nothing to compare.
class BuildsAndRuns final : public Bench {
 public:
  std::size_t candidates() const override { return candidate_count; }
  BenchmarkRun run(const BenchRun& wanted, const std::stop_token&) override {
    if (wanted.purpose == RunPurpose::check) {
      ++checks;
      const bool wrong = wrong_output && wanted.role == SampleRole::candidate;
      return took(1, wrong ? "wrong" : "input " + std::to_string(wanted.input));
    }
    ++builds;
    last_input = std::max(last_input, wanted.input);
    if (wanted.role == failing_side && wanted.candidate == 0 && builds > healthy) {
      return broke(failing_class, "the compiler broke");
    }
    BenchmarkRun built;
    const double noise = 1 + 0.001 * (builds % 5);
    built.cpu_seconds = (wanted.role == SampleRole::candidate ? 0.8 : 1.0) * noise;
    return built;
  }

  std::size_t candidate_count = 1;
  int healthy = 6;  // builds before one may fail
  int checks = 0;
  int builds = 0;
  std::size_t last_input = 0;
  bool wrong_output = false;
  std::optional<SampleRole> failing_side;
  RunClass failing_class = RunClass::failed;
};

TEST(BuildMetric, IsTakenOncePerPairHoweverManyInputsThereAre) {
  BuildsAndRuns bench;
  const Comparison result = compare(bench, plan_for({"a", "b", "c"}), {});
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_EQ(result.verdict, Verdict::faster);
  EXPECT_NEAR(result.reward->value, std::log(1 / 0.8), 0.005);
  EXPECT_EQ(bench.checks, 9) << "the outputs of every input, before anything is timed";
  EXPECT_EQ(bench.builds, 2 * result.reward->pairs);
  EXPECT_EQ(bench.last_input, 0U);
  for (const Sample& sample : result.samples) {
    EXPECT_EQ(sample.input, "");
    EXPECT_EQ(sample.metric, Metric::compile_time);
  }
}

TEST(BuildMetric, ACandidateThatIsWrongIsNotTimed) {
  BuildsAndRuns bench;
  bench.wrong_output = true;
  const Comparison result = compare(bench, plan_for({"a"}), {});
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_EQ(bench.builds, 0);
}

TEST(BuildMetric, ABuildThatFailsIsTheBuildsFault) {
  const auto ends = [](SampleRole side, RunClass run_class) {
    BuildsAndRuns bench;
    bench.failing_side = side;
    bench.failing_class = run_class;
    const Comparison result = compare(bench, plan_for({"a"}), {});
    EXPECT_FALSE(result.reward.has_value());
    EXPECT_EQ(result.reason.find("input"), std::string::npos) << result.reason;
    EXPECT_NE(result.reason.find("the compiler broke"), std::string::npos) << result.reason;
    EXPECT_LE(bench.builds, 8) << "nobody builds again to find out who is to blame";
    return result.outcome;
  };
  EXPECT_EQ(ends(SampleRole::candidate, RunClass::failed), Outcome::build_failed);
  EXPECT_EQ(ends(SampleRole::candidate, RunClass::timed_out), Outcome::timed_out);
  EXPECT_EQ(ends(SampleRole::candidate, RunClass::limit_exceeded), Outcome::limit_exceeded);
  EXPECT_EQ(ends(SampleRole::baseline, RunClass::timed_out), Outcome::baseline_failed);
}

TEST(BuildMetric, ASelfCheckKeepsToThePairsThatThePlanAllows) {
  BuildsAndRuns bench;
  ComparisonPlan plan = plan_for({});
  plan.most_pairs = 12;
  ASSERT_TRUE(self_check(bench, plan, {}).has_value());
  EXPECT_LE(bench.builds, 24);
}

TEST(BuildMetric, InARaceABuildThatFailsLeavesAlone) {
  BuildsAndRuns bench;
  bench.failing_side = SampleRole::candidate;
  bench.candidate_count = 2;
  bench.healthy = 0;
  RacePlan plan;
  plan.benchmark = plan_for({"a", "b"}).benchmark;
  const Race result = race(bench, plan, {});
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  ASSERT_EQ(result.entries.size(), 2U);
  EXPECT_EQ(result.entries[0].candidate, 1U);
  EXPECT_EQ(result.entries[0].outcome, Outcome::ok);
  EXPECT_EQ(result.entries[1].outcome, Outcome::build_failed);
}

}  // namespace
}  // namespace hone
