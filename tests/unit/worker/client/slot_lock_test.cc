#include "worker/client/slot_lock.h"

#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/subprocess.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

class SlotLock : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("slot-lock-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
  }
  std::optional<TemporaryFolder> folder_;
};

TEST_F(SlotLock, OneHolderAtATime) {
  Result<UniqueFd> first = lock_file(folder_->path() / "lock", 0ms);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(lock_file(folder_->path() / "lock", 50ms).error().code, ErrorCode::conflict);
  first->reset();
  EXPECT_TRUE(lock_file(folder_->path() / "lock", 0ms).has_value());
}

TEST_F(SlotLock, DoesNotFollowLinks) {
  std::filesystem::create_symlink("target", folder_->path() / "lock");
  EXPECT_TRUE(lock_file(folder_->path() / "lock", 0ms).has_error());
  EXPECT_FALSE(std::filesystem::exists(folder_->path() / "target"));
}

TEST_F(SlotLock, TwoWorkersNeverShareAProcessor) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const auto all = static_cast<std::size_t>(CPU_COUNT(&allowed));
  Result<std::vector<LockedCpu>> mine = lock_cpus(folder_->path(), 1, {}, 0ms);
  ASSERT_TRUE(mine.has_value()) << mine.error().message;
  const int cpu = mine->front().cpu;
  EXPECT_EQ(lock_cpus(folder_->path(), 1, {cpu}, 0ms).error().code, ErrorCode::conflict);
  const Result<std::vector<LockedCpu>> rest = lock_cpus(folder_->path(), all, {}, 0ms);
  ASSERT_TRUE(rest.has_error());
  EXPECT_NE(rest.error().message.find("--slots"), std::string::npos);
  if (all > 1) {
    const Result<std::vector<LockedCpu>> other = lock_cpus(folder_->path(), all - 1, {}, 0ms);
    ASSERT_TRUE(other.has_value());
    EXPECT_NE(other->front().cpu, cpu);
  }
  mine->clear();
  EXPECT_TRUE(lock_cpus(folder_->path(), all, {}, 0ms).has_value());
}

TEST_F(SlotLock, MoreThanThereAreProcessorsIsNobodyElsesFault) {
  const Result<std::vector<LockedCpu>> locked = lock_cpus(folder_->path(), 100'000, {}, 10s);
  ASSERT_TRUE(locked.has_error());
  EXPECT_EQ(locked.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(locked.error().message.find("other workers"), std::string::npos);
}

TEST_F(SlotLock, RefusesAProcessorThatIsNotThere) {
  EXPECT_EQ(lock_cpus(folder_->path(), 1, {1023}, 0ms).error().code, ErrorCode::invalid_argument);
}

// A worker that was killed leaves guardians; its successor starts when they are done.
TEST_F(SlotLock, IsHeldUntilTheLastGuardianOfAKilledHolderHasEnded) {
  const pid_t holder = fork();
  if (holder == 0) {
    const Result<UniqueFd> lock = lock_file(folder_->path() / "lock", 0ms);
    Command command;
    command.arguments = {"sh", "-c", "echo x > started; exec sleep 100"};
    command.environment = {"PATH=/usr/bin:/bin"};
    command.working_folder = folder_->path();
    [[maybe_unused]] const Result<RunReport> report = run(command);
    _exit(0);
  }
  while (!std::filesystem::exists(folder_->path() / "started")) {
    usleep(5000);
  }
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  EXPECT_TRUE(lock_file(folder_->path() / "lock", 10s).has_value());
}

}  // namespace
}  // namespace hone
