#include "staging/runner/run_end.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(RunEndClass, ALimitOfTheWholeTreeIsTheReasonOfABadEnd) {
  RunReport report;
  report.end = RunEnd::timed_out;
  report.wall_seconds = 5;
  const RunEndReport hung = classify(report, {}, "wanted more than 20 processes at once");
  EXPECT_EQ(hung.run_class, RunClass::limit_exceeded);
  EXPECT_EQ(hung.reason, "wanted more than 20 processes at once (stopped after 5 s (time limit))");
  EXPECT_EQ(classify(report, {}).run_class, RunClass::timed_out);
  report.end = RunEnd::exited;
  EXPECT_EQ(classify(report, {}, "wanted more").run_class, RunClass::ok)
      << "a program that gets along with what it has";
  report.end = RunEnd::stopped;
  EXPECT_EQ(classify(report, {}, "wanted more").run_class, RunClass::stopped);
}

TEST(RunEndClass, AFullFolderIsALimit) {
  RunReport report;
  report.exit_code = 1;
  report.stderr_text = "cp: error writing 'x': No space left on device\n";
  EXPECT_EQ(classify(report, {}).run_class, RunClass::limit_exceeded);
  report.stderr_text = "cp: error writing 'x'\n";
  EXPECT_EQ(classify(report, {}).run_class, RunClass::failed);
}

}  // namespace
}  // namespace hone
