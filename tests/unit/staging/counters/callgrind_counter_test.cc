#include "staging/counters/callgrind_counter.h"

#include "tests/unit/staging/counters/counted_run.h"

namespace hone {
namespace {

const std::string kLoop = "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; ";

class Callgrind : public test::CountedRun {
 protected:
  void SetUp() override {
    CountedRun::SetUp();
    Result<CallgrindCounter> made = CallgrindCounter::create(folder());
    if (!made) {
      GTEST_SKIP() << made.error().message;
    }
    counter_.emplace(*std::move(made));
  }
  double instructions(const std::string& script) { return count(*counter_, script).value_or(0); }

  std::optional<CallgrindCounter> counter_;
};

TEST_F(Callgrind, TheSameProgramGivesTheSameNumberAndMoreWorkALargerOne) {
  const double one = instructions(kLoop);
  EXPECT_GT(one, 100'000);
  EXPECT_EQ(instructions(kLoop), one);
  const double two = instructions(kLoop + kLoop);
  const double none = instructions(":");
  EXPECT_NEAR((two - none) / (one - none), 2, 0.1);
}

TEST_F(Callgrind, ProgramsThatItStartsAreCounted) {
  const double none = instructions(":");
  const double one = instructions("/usr/bin/true; :");
  const double two = instructions("/usr/bin/true; /usr/bin/true; :");
  EXPECT_GT(one - none, 50'000);
  EXPECT_NEAR((two - none) / (one - none), 2, 0.1);
}

TEST_F(Callgrind, AForkedProcessCountsItsOwnWorkAndNotItsParentsAgain) {
  const double none = instructions("(:)");
  const double outside = instructions(kLoop + "(:)") - none;
  const double inside = instructions("(" + kLoop + ")") - none;
  EXPECT_NEAR(inside / outside, 1, 0.1);
}

TEST_F(Callgrind, WorksInASandbox) {
  const double outside = instructions(kLoop);
  if (const std::string why = enter_sandbox(); !why.empty()) {
    GTEST_SKIP() << why;
  }
  const double inside = instructions(kLoop);
  EXPECT_NEAR(inside / outside, 1, 0.1);
  EXPECT_EQ(instructions(kLoop), inside);
  EXPECT_GT(instructions("/usr/bin/true; :"), instructions(":") + 50'000);
}

TEST_F(Callgrind, AProgramEndsAsItWouldWithout) {
  Command command;
  command.arguments = {"a name", "-c", "echo out; echo err >&2; exit 3"};
  command.program = "/bin/sh";
  command.environment = {"PATH=/usr/bin:/bin"};
  SandboxView view;
  ASSERT_TRUE(counter_->start(command, view).has_value());
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->exit_code, 3);
  EXPECT_EQ(report->stdout_text, "out\n");
  EXPECT_EQ(report->stderr_text, "err\n") << "the log is kept apart";
  EXPECT_GT(*counter_->finish(), 10'000);
}

TEST_F(Callgrind, LimitsMakeRoomForValgrind) {
  Command command;
  command.arguments = {"true"};
  command.limits.wall_time = std::chrono::seconds(2);
  command.limits.address_space_bytes = std::uint64_t{1} << 20U;
  SandboxView view;
  view.memory_bytes = std::uint64_t{1} << 20U;
  ASSERT_TRUE(counter_->start(command, view).has_value());
  EXPECT_EQ(command.limits.wall_time, std::chrono::seconds(200));
  EXPECT_GT(command.limits.address_space_bytes, std::uint64_t{1} << 30U);
  EXPECT_GT(view.memory_bytes, std::uint64_t{1} << 30U);
  EXPECT_EQ(view.writable.size(), 1U);
}

TEST_F(Callgrind, NoNumberIsAnError) {
  Command command;
  command.arguments = {"true"};
  SandboxView view;
  ASSERT_TRUE(counter_->start(command, view).has_value());
  const Result<double> counted = counter_->finish();  // nothing was run
  ASSERT_TRUE(counted.has_error());
  EXPECT_EQ(counted.error().code, ErrorCode::not_found);
}

TEST(CallgrindCounter, WithoutValgrindNamesThePackage) {
  const Result<CallgrindCounter> counter = CallgrindCounter::create("/tmp", "/no/such/folder");
  ASSERT_TRUE(counter.has_error());
  EXPECT_EQ(counter.error().code, ErrorCode::unsupported);
  EXPECT_NE(counter.error().message.find("package valgrind"), std::string::npos);
  EXPECT_NE(counter.error().message.find("[perf]"), std::string::npos);
}

TEST(CallgrindCounter, ReadsTheNumberOutOfTheLog) {
  EXPECT_EQ(collected_in("==4711== Collected : 24304"), 24304U);
  for (const char* const other :
       {"==4711== Events    : Ir", "==4711== I   refs:      24,304", "Collected : 24304",
        "==4711== Collected : ", "==4711== Collected : 12 34", "==4711== Collected : -3", ""}) {
    EXPECT_FALSE(collected_in(other).has_value()) << other;
  }
}

}  // namespace
}  // namespace hone
