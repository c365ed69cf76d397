#include "engine/session/lock_down.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>

namespace hone {
namespace {

// In a process of its own: what is given up stays given up. The exit code is 0 if `work` says so.
bool holds_when_locked(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(lock_down() && work() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(LockDown, RefusesTheWaysOut) {
  EXPECT_TRUE(
      holds_when_locked([] { return open("/etc/hostname", O_RDONLY) < 0 && errno == EPERM; }));
  EXPECT_TRUE(
      holds_when_locked([] { return socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM; }));
  EXPECT_TRUE(holds_when_locked([] { return kill(getppid(), 0) < 0 && errno == EPERM; }));
  EXPECT_TRUE(holds_when_locked([] {
    execl("/bin/true", "true", nullptr);
    return errno == EPERM;
  }));
}

TEST(LockDown, RefusesToReachOtherProcesses) {
  EXPECT_TRUE(holds_when_locked(
      [] { return syscall(SYS_pidfd_open, getppid(), 0) < 0 && errno == EPERM; }));
  EXPECT_TRUE(holds_when_locked(
      [] { return syscall(SYS_tgkill, getppid(), getppid(), 0) < 0 && errno == EPERM; }));
  EXPECT_TRUE(holds_when_locked([] {
    rlimit limit{};
    return prlimit(getppid(), RLIMIT_CPU, nullptr, &limit) < 0 && errno == EPERM &&
           getrlimit(RLIMIT_CPU, &limit) == 0;
  }));
  EXPECT_TRUE(holds_when_locked([] {
    return fcntl(STDERR_FILENO, F_SETOWN, getppid()) < 0 && errno == EPERM &&
           fcntl(STDERR_FILENO, F_GETFD) >= 0;
  }));
  // What the kernel takes for the same command.
  EXPECT_TRUE(holds_when_locked([] {
    return syscall(SYS_fcntl, STDERR_FILENO, (1L << 32U) | F_SETOWN, getppid()) < 0 &&
           errno == EPERM;
  }));
  EXPECT_TRUE(holds_when_locked([] { return memfd_create("more", 0) < 0 && errno == EPERM; }));
}

// How `work` ends a locked process, or the copy of one.
int signal_that_ends(bool copied, const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    const bool locked = lock_down().has_value();
    const pid_t copy = copied ? fork() : 0;
    if (copy == 0) {
      locked ? work() : _exit(1);
      _exit(0);
    }
    int status = 0;
    waitpid(copy, &status, 0);
    _exit(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(LockDown, LeavesAWayToEndByAFault) {
#if defined(HONE_SANITIZED)
  GTEST_SKIP() << "a sanitizer handles faults itself";
#endif
  EXPECT_EQ(signal_that_ends(false, [] { std::abort(); }), SIGABRT);
  EXPECT_EQ(signal_that_ends(true, [] { std::abort(); }), SIGSEGV);
}

TEST(LockDown, LeavesMemoryOpenFilesAndCopies) {
  EXPECT_TRUE(holds_when_locked([] {
    const std::string large(std::size_t{64} << 20U, 'x');
    return large.back() == 'x' && write(STDERR_FILENO, "", 0) == 0;
  }));
  EXPECT_TRUE(holds_when_locked([] {
    const pid_t copy = fork();
    if (copy == 0) {
      // The copy is locked, too.
      _exit(open("/etc/hostname", O_RDONLY) < 0 ? 0 : 1);
    }
    int status = 1;
    return copy > 0 && waitpid(copy, &status, 0) == copy && status == 0;
  }));
}

}  // namespace
}  // namespace hone
