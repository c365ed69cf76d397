// The way of counting is tried with an event of the kernel's own, page faults, which virtual
// machines have as well; the processor's counters as far as this machine has them.
#include "staging/counters/perf_counter.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include <cerrno>

#include "tests/unit/staging/counters/counted_run.h"

namespace hone {
namespace {

constexpr PerfEvent kPageFaults{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
constexpr const char* kTwentyPrograms =
    "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do /usr/bin/true; done";

// Touches that many pages of its own.
void fault(std::size_t pages) {
  const std::size_t size = pages * 4096;
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, size, MADV_NOHUGEPAGE);
  for (std::size_t page = 0; page < pages; ++page) {
    static_cast<volatile char*>(memory)[page * 4096] = 1;
  }
  munmap(memory, size);
}

class Perf : public test::CountedRun {
 protected:
  void SetUp() override {
    CountedRun::SetUp();
    Result<PerfCounter> made = PerfCounter::create(kPageFaults);
    if (!made) {
      GTEST_SKIP() << made.error().message;
    }
    counter_.emplace(*std::move(made));
  }
  double faults(const std::string& script) { return count(*counter_, script).value_or(0); }

  std::optional<PerfCounter> counter_;
};

TEST_F(Perf, CountsTheWholeTree) {
  const double one = faults("exec /usr/bin/true");
  EXPECT_GT(one, 10);
  EXPECT_GT(faults(kTwentyPrograms), one + 19 * 20);
}

TEST_F(Perf, DoesNotCountUs) {
  const double one = faults("exec /usr/bin/true");
  Command command;
  command.arguments = {"/usr/bin/true"};
  SandboxView view;
  ASSERT_TRUE(counter_->start(command, view).has_value());
  fault(20'000);
  ASSERT_TRUE(run(command).has_value());
  fault(20'000);
  const Result<double> counted = counter_->finish();
  ASSERT_TRUE(counted.has_value()) << counted.error().message;
  EXPECT_LT(*counted, 10 * one + 1000);
}

TEST_F(Perf, CountsAnotherUsersProgramInASandbox) {
  if (const std::string why = enter_sandbox(); !why.empty()) {
    GTEST_SKIP() << why;
  }
  const double one = faults("exec /usr/bin/true");
  EXPECT_GT(one, 10);
  EXPECT_GT(faults(kTwentyPrograms), one + 19 * 20);
}

TEST(PerfCounter, HardwareIsAskedAndRefusedWithTheReason) {
  for (const PerfEvent& event : {kHardwareInstructions, kCycles}) {
    Result<PerfCounter> counter = PerfCounter::create(event);
    if (!counter) {
      EXPECT_EQ(counter.error().code, ErrorCode::unsupported);
      const std::string& why = counter.error().message;
      EXPECT_TRUE(why.find("no such counter") != std::string::npos ||
                  why.find("perf_event_paranoid") != std::string::npos)
          << why;
      continue;
    }
    Command command;
    command.arguments = {"/usr/bin/true"};
    SandboxView view;
    ASSERT_TRUE(counter->start(command, view).has_value());
    ASSERT_TRUE(run(command).has_value());
    const Result<double> counted = counter->finish();
    ASSERT_TRUE(counted.has_value()) << counted.error().message;
    EXPECT_GT(*counted, 10'000);
  }
}

TEST(PerfCounter, AnEventThatNobodyKnowsIsRefused) {
  const Result<PerfCounter> counter = PerfCounter::create({PERF_TYPE_HARDWARE, 0xfff});
  ASSERT_TRUE(counter.has_error());
  EXPECT_EQ(counter.error().code, ErrorCode::unsupported);
}

TEST(PerfCounter, ARefusalSaysWhatWouldHelp) {
  const auto says = [](int reason, const char* paranoid, const char* what) {
    const Error error = perf_refusal(reason, paranoid);
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_NE(error.message.find(what), std::string::npos) << error.message;
  };
  says(ENOENT, "2\n", "virtual machines");
  says(EOPNOTSUPP, "2\n", "virtual machines");
  says(EACCES, "3\n", "perf_event_paranoid is 3)");
  says(EPERM, "", "perf_event_paranoid is unknown)");
  says(ENOSYS, "2\n", "no perf_event_open");
  says(EMFILE, "2\n", "Too many open files");
}

}  // namespace
}  // namespace hone
