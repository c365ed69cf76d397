#include "build_integration/cli/child_process.h"

#include <signal.h>

#include <cerrno>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

class ChildProcessTest : public testing::Test {
 protected:
  std::filesystem::path log() const { return folder_.path() / "log"; }
  Result<ChildProcess> shell(const std::string& script) {
    return ChildProcess::start({"/bin/sh", "-c", script}, log());
  }
  static std::string wait(ChildProcess& child) {
    for (int i = 0; i < 1000; ++i) {
      if (const auto how = child.ended()) {
        return *how;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "still running";
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("child");
};

TEST_F(ChildProcessTest, EndAndOutputAreKnown) {
  Result<ChildProcess> child = shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(wait(*child), "exit code 3");
  EXPECT_EQ(child->exit_code(), 3);
  EXPECT_EQ(child->log_tail(), "out\nerr\n");
}

TEST_F(ChildProcessTest, OneThatRunsOrWasKilledHasNoExitCode) {
  Result<ChildProcess> child = shell("sleep 60");
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(child->exit_code(), std::nullopt);
  ::kill(child->pid(), SIGKILL);
  EXPECT_EQ(wait(*child), "killed by signal 9");
  EXPECT_EQ(child->exit_code(), std::nullopt);
}

TEST_F(ChildProcessTest, LogOfAnEarlierRunIsNotItsOwn) {
  ASSERT_TRUE(write_file_atomically(log(), "old\n").has_value());
  Result<ChildProcess> child = shell("echo new");
  ASSERT_TRUE(child.has_value());
  wait(*child);
  EXPECT_EQ(child->log_tail(), "new\n");
  EXPECT_EQ(*read_file(log(), 100), "old\nnew\n");
}

TEST_F(ChildProcessTest, MissingProgramIsSaid) {
  const Result<ChildProcess> child = ChildProcess::start({"/nonexistent/program"}, log());
  ASSERT_FALSE(child.has_value());
  EXPECT_EQ(child.error().code, ErrorCode::not_found);
}

TEST_F(ChildProcessTest, StopAsksFirst) {
  Result<ChildProcess> child = shell("trap 'exit 0' TERM; echo up; while :; do sleep 0.01; done");
  ASSERT_TRUE(child.has_value());
  while (child->log_tail().empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(child->stop(std::chrono::seconds(20)));
  EXPECT_EQ(child->ended(), "exit code 0");
}

TEST_F(ChildProcessTest, StopKillsWhatDoesNotListen) {
  Result<ChildProcess> child = shell("trap '' TERM; echo up; while :; do sleep 0.01; done");
  ASSERT_TRUE(child.has_value());
  while (child->log_tail().empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_FALSE(child->stop(std::chrono::milliseconds(50)));
  EXPECT_EQ(child->ended(), "killed by signal 9");
}

TEST_F(ChildProcessTest, NothingOutlivesTheObject) {
  pid_t pid = 0;
  {
    const Result<ChildProcess> child = shell("exec sleep 100");
    ASSERT_TRUE(child.has_value());
    pid = child->pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(ChildProcessTest, CtrlCOfTheTerminalDoesNotReachIt) {
  Result<ChildProcess> child = shell("exec sleep 100");
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(::getpgid(child->pid()), child->pid());
}

}  // namespace
}  // namespace hone
