#include "worker/artifacts/held_files.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/subprocess.h"
#include "tests/unit/worker/artifacts/other_process.h"

namespace hone {
namespace {

constexpr std::size_t kSize = 1U << 20U;

class Held : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("held-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
  }
  std::filesystem::path top() const { return folder_->path(); }
  // Of all processes that descend from this one.
  HeldFiles held(int own_generations = 0) const {
    return held_files({&self_, own_generations}, {top()});
  }

  std::optional<TemporaryFolder> folder_;
  std::atomic<pid_t> self_ = getpid();
};

TEST_F(Held, IsWhatWasDeletedWhileOpenUntilTheProcessEnds) {
  OtherProcess step([&] { hold_deleted(top() / "file", kSize); });
  HeldFiles found = held();
  EXPECT_EQ(found.entries, 1U);
  EXPECT_GE(found.bytes, kSize);
  EXPECT_LT(found.bytes, 2 * kSize);
  step.end();
  found = held();
  EXPECT_EQ(found.entries, 0U);
  EXPECT_EQ(found.bytes, 0U);
  EXPECT_TRUE(found.complete);
}

TEST_F(Held, IsNoFileThatHasAName) {
  const OtherProcess step([&] {
    if (open((top() / "named").c_str(), O_RDWR | O_CREAT, 0600) < 0) {
      _exit(1);
    }
  });
  EXPECT_EQ(held().entries, 0U);
}

TEST_F(Held, CountsAFileOnceWhoeverHasIt) {
  const OtherProcess step([&] {
    const int file = hold_deleted(top() / "file", kSize);
    if (dup(file) < 0) {
      _exit(1);
    }
    if (fork() == 0) {
      OtherProcess::end_with_parent();
      pause();
      _exit(0);
    }
  });
  EXPECT_EQ(held().entries, 1U);
}

TEST_F(Held, SeesTheGrandchildOfAStrangersName) {
  const OtherProcess step([&] {
    if (fork() == 0) {
      OtherProcess::end_with_parent();
      prctl(PR_SET_NAME, ") S 1 (");
      hold_deleted(top() / "file", kSize);
      pause();
      _exit(0);
    }
  });
  // The grandchild may still be at it.
  for (int i = 0; i < 600 && held().bytes < kSize; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_GE(held().bytes, kSize);
  EXPECT_EQ(held(2).bytes, 0U);
}

TEST_F(Held, SeesWhatIsOnlyMapped) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "what is mapped by others only root may look at";
  }
  const OtherProcess step([&] {
    const int file = hold_deleted(top() / "file", kSize);
    if (mmap(nullptr, kSize, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED) {
      _exit(1);
    }
    close(file);
  });
  const HeldFiles found = held();
  if (!found.complete) {
    GTEST_SKIP() << "root may not look at what is mapped by others, in here";
  }
  EXPECT_GE(found.bytes, kSize);
}

TEST_F(Held, SeesTheFilesThatOneThreadHasForItself) {
  if (unshare(CLONE_FILES) != 0) {
    GTEST_SKIP() << "no thread may have files for itself, in here";
  }
  const OtherProcess step([&] {
    std::atomic<bool> ready = false;
    std::thread([&] {
      if (unshare(CLONE_FILES) != 0) {
        _exit(1);
      }
      hold_deleted(top() / "file", kSize);
      ready = true;
      while (true) {
        pause();
      }
    }).detach();
    while (!ready) {
      std::this_thread::yield();
    }
  });
  EXPECT_GE(held().bytes, kSize);
}

TEST_F(Held, IsOfTheStepsProcessesAlone) {
  const OtherProcess other([&] { hold_deleted(top() / "file", kSize); });
  const OtherProcess step([] {});
  const std::atomic<pid_t> guardian = step.number();
  EXPECT_EQ(held_files({&guardian, 0}, {top()}).entries, 0U);
  EXPECT_EQ(held_files({}, {top()}).entries, 0U);
}

TEST_F(Held, KnowsAStepByItsGuardian) {
  std::atomic<pid_t> guardian = 0;
  Command command;
  command.arguments = {"sh", "-c", "exec 3>file; rm file; head -c 1000000 /dev/zero >&3; sleep 60"};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.working_folder = top();
  command.guardian = &guardian;
  std::stop_source stop;
  std::jthread runs([&] { EXPECT_TRUE(run(command, stop.get_token()).has_value()); });
  for (int i = 0; i < 500 && held_files({&guardian, 0}, {top()}).bytes < 1'000'000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_GE(held_files({&guardian, 0}, {top()}).bytes, 1'000'000U);
  stop.request_stop();
  runs.join();
  EXPECT_EQ(guardian.load(), 0);
  EXPECT_EQ(held_files({&guardian, 0}, {top()}).entries, 0U);
}

}  // namespace
}  // namespace hone
