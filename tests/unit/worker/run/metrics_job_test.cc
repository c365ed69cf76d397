// Jobs that are measured by something else than time.
#include <cmath>

#include "staging/counters/run_counter.h"
#include "staging/runner/elf_sections.h"
#include "tests/support/job_fixture.h"

namespace hone {
namespace {

class MetricsJob : public JobFixture {
 protected:
  // The baseline's program is made by the first script, the candidate's by the second.
  void product(Metric metric, const std::string& baseline, const std::string& candidate) {
    write("make.sh", "if [ -z \"$HONE_POLICY\" ]; then " + baseline + "; else " + candidate +
                         "; fi\nchmod 755 bench\n");
    target_.build.commands = {{"sh", "{source}/make.sh"}};
    target_.build.binaries = {"bench"};
    target_.benchmark.command = {"{build}/bench", ""};
    target_.benchmark.metric.metric = metric;
    pack();
  }
  static void expect_exact(const AttemptResult& result, double baseline, double candidate) {
    ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
    EXPECT_EQ(result.verdict, Verdict::faster);
    ASSERT_TRUE(result.reward.has_value());
    EXPECT_NEAR(result.reward->value, std::log(baseline / candidate), 1e-12);
    EXPECT_EQ(result.reward->low, result.reward->high);
    EXPECT_EQ(result.links, 1);
    for (const std::string& warning : result.warnings) {
      EXPECT_EQ(warning.find("link"), std::string::npos) << warning;
    }
    EXPECT_TRUE(parse_attempt_result(to_json(result), UnknownKeys::refuse).has_value());
  }
};

// Both print nothing for an empty argument.
const std::string kLarge = "cp /usr/bin/printf bench";
const std::string kSmall = "cp /usr/bin/true bench";

TEST_F(MetricsJob, ASizeIsThatOfWhatTheBuildsMade) {
  product(Metric::text_bytes, kLarge, kSmall);
  const AttemptResult result = run(lease());
  expect_exact(result, static_cast<double>(text_bytes("/usr/bin/printf")),
               static_cast<double>(text_bytes("/usr/bin/true")));
  ASSERT_EQ(result.samples.size(), 2U);
  EXPECT_EQ(result.samples[0].value,
            static_cast<double>(result.baseline_binaries.at(0).text_bytes));
  EXPECT_EQ(result.samples[1].metric, Metric::text_bytes);
}

TEST_F(MetricsJob, ASmallerProgramThatPrintsOtherThingsIsMiscompiled) {
  product(Metric::binary_bytes, kLarge, "printf '#!/bin/sh\\necho small\\n' > bench");
  const AttemptResult result = run(lease());
  EXPECT_EQ(result.outcome, Outcome::miscompiled) << result.reason;
  EXPECT_FALSE(result.reward.has_value());
}

TEST_F(MetricsJob, ASizeOfNothingIsToldAsTheBenchmarksFault) {
  product(Metric::text_bytes, "printf '#!/bin/sh\\n:\\n' > bench", "printf '#!/bin/sh\\n' > bench");
  const AttemptResult result = run(lease());
  EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
  EXPECT_NE(result.reason.find("ELF"), std::string::npos) << result.reason;
}

TEST_F(MetricsJob, InstructionsAreCounted) {
  if (const auto counter = make_run_counter(Metric::instructions, ""); !counter) {
    GTEST_SKIP() << counter.error().message;
  }
  const auto loop = [](const std::string& rounds) {
    return "printf '#!/bin/sh\\ni=0; while [ $i -lt " + rounds +
           " ]; do i=$((i+1)); done\\n' > bench";
  };
  product(Metric::instructions, loop("4000"), loop("2000"));
  const AttemptResult result = run(lease());
  ASSERT_EQ(result.samples.size(), 4U) << result.reason << result.log;
  expect_exact(result, result.samples[0].value, result.samples[1].value);
  EXPECT_GT(result.samples[1].value, 100'000);
}

TEST_F(MetricsJob, WhatThisMachineCannotCountEndsBeforeAnyBuild) {
  if (make_run_counter(Metric::energy, "")) {
    GTEST_SKIP() << "this machine measures energy";
  }
  product(Metric::energy, kLarge, kSmall);
  const AttemptResult result = run(lease());
  EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
  EXPECT_TRUE(result.reason.starts_with("metric energy: ")) << result.reason;
  EXPECT_TRUE(result.baseline_binaries.empty());
  EXPECT_FALSE(result.reward.has_value());
}

}  // namespace
}  // namespace hone
