#include "engine/session/lock_down.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
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
