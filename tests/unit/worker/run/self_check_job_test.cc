// A job whose lease asks for a comparison of the baseline with itself.
#include "tests/support/job_fixture.h"

namespace hone {
namespace {

class SelfCheckJob : public JobFixture {
 protected:
  // The baseline prints a time twice the candidate's, as the metric.
  void SetUp() override {
    JobFixture::SetUp();
    write("make.sh",
          "seconds=2.0; if [ -n \"$HONE_POLICY\" ]; then seconds=1.0; fi\n"
          "printf '#!/bin/sh\\necho time %s\\n' $seconds > bench && chmod 755 bench\n");
    target_.build.commands = {{"sh", "{source}/make.sh"}};
    target_.build.binaries = {"bench"};
    target_.benchmark.command = {"{build}/bench"};
    target_.benchmark.metric = {.metric = Metric::printed, .pattern = "time ([0-9.]+)"};
    pack();
  }
};

TEST_F(SelfCheckJob, ComesWithTheResultAndIsOfTheBaselineAlone) {
  Lease asked = lease();
  asked.self_check = true;
  const AttemptResult result = run(asked);
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_EQ(result.verdict, Verdict::faster);
  ASSERT_TRUE(result.self_check.has_value());
  EXPECT_EQ(result.self_check->verdict, Verdict::no_change);
  EXPECT_EQ(result.self_check->reward.value, 0);
  EXPECT_EQ(result.self_check->baseline_value, 2.0);
}

TEST_F(SelfCheckJob, IsNotMadeUnasked) {
  const AttemptResult result = run(lease());
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_FALSE(result.self_check.has_value());
}

}  // namespace
}  // namespace hone
