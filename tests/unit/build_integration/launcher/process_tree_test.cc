#include "build_integration/launcher/process_tree.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>

#include <gtest/gtest.h>

namespace hone {
namespace {

// A shell that runs `script`, which ends its preparations by closing standard output.
class Shell {
 public:
  explicit Shell(const char* script) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execl("/bin/sh", "sh", "-c", script, nullptr);
      ::_exit(1);
    }
    ::close(ends[1]);
    char piece[64];
    ssize_t got = 0;
    while ((got = ::read(ends[0], piece, sizeof piece)) > 0) {
      said_.append(piece, static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
  }
  ~Shell() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  pid_t child() const { return child_; }
  pid_t said() const { return static_cast<pid_t>(std::stol(said_)); }

 private:
  pid_t child_ = -1;
  std::string said_;
};

TEST(ProcessTree, HoldsWhatIsBelowAndIsSignalledWhole) {
  const Shell shell("sleep 600 > /dev/null & echo $!; exec > /dev/null; wait");
  const ProcessTree tree = look_at_processes(shell.child());
  ASSERT_EQ(tree.processes.front(), shell.child());
  EXPECT_EQ(std::ranges::count(tree.processes, shell.said()), 1);
  signal_processes(tree, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(shell.child(), &status, 0), shell.child());
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(ProcessTree, ADaemonIsNoPartOfIt) {
  const Shell shell(
      "setsid sh -c 'echo $$; exec > /dev/null; exec sleep 600' & exec > /dev/null; wait");
  EXPECT_EQ(look_at_processes(shell.child()).processes.size(), 1U);
  const ProcessTree daemon = look_at_processes(shell.said());
  EXPECT_GE(daemon.processes.size(), 1U);
  signal_processes(daemon, SIGKILL);
}

TEST(ProcessTree, CountsTheTimeOfAll) {
  const Shell shell(
      "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exec > /dev/null; exec sleep 600");
  EXPECT_GT(look_at_processes(shell.child()).cpu_seconds, 0);
  EXPECT_GT(look_at_processes(::getpid()).cpu_seconds, 0);
}

TEST(ProcessTree, OfNobodyIsHarmless) {
  EXPECT_EQ(look_at_processes(0x7ffffff0).processes.size(), 1U);
}

}  // namespace
}  // namespace hone
