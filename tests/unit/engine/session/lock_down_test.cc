#include "engine/session/lock_down.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/session/copy_gate.h"
#include "engine/session/message_reader.h"
#include "engine/session/message_writer.h"
#include "engine/session/session_child.h"

namespace hone {
namespace {

// In a process of its own: what is given up stays given up. The exit code is 0 if `work` says so.
bool holds_when_locked(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    const bool locked = lock_down().has_value();
    _exit(locked && work() ? 0 : 1);
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
  EXPECT_TRUE(holds_when_locked(
      [] { return shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) < 0 && errno == EPERM; }));
}

TEST(LockDown, RefusesToMakeProcessesAndThreads) {
  EXPECT_TRUE(holds_when_locked([] { return fork() < 0 && errno == EPERM; }));
  EXPECT_TRUE(holds_when_locked([] { return setsid() < 0 && errno == EPERM; }));
  EXPECT_TRUE(holds_when_locked([] { return setpgid(0, 0) < 0 && errno == EPERM; }));
  EXPECT_TRUE(
      holds_when_locked([] { return syscall(SYS_clone3, nullptr, 0) < 0 && errno == ENOSYS; }));
  EXPECT_TRUE(holds_when_locked([] {
    constexpr long kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
    return syscall(SYS_clone, kThread, nullptr, nullptr, nullptr, 0) < 0 && errno == EPERM;
  }));
}

TEST(LockDown, GivesUpWhatRootMay) {
  EXPECT_TRUE(holds_when_locked([] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
    return syscall(SYS_capget, &header, data) == 0 && data[0].permitted == 0 &&
           data[1].permitted == 0 && data[0].effective == 0;
  }));
}

// How `work` ends a locked process.
int end_when_locked(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    const bool locked = lock_down().has_value();
    locked ? work() : _exit(1);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

int make_copy() {
  int itself = -1;
  return static_cast<int>(syscall(SYS_clone, long{kCopyFlags}, nullptr, &itself, 0L, 0L));
}

// A locked process, and the gate that its copies have to pass.
class LockedProcess {
 public:
  explicit LockedProcess(const std::function<int()>& work) {
    Result<ChannelEnds> ends = make_channel();
    process_ = fork();
    if (process_ == 0) {
      {
        const Result<Descriptor> listener = lock_down();
        (void)send_message(
            ends->theirs.get(), kLockedMessage,
            listener && *listener ? std::vector<int>{listener->get()} : std::vector<int>{});
      }
      _exit(work());
    }
    ends->theirs = Descriptor();
    Result<Message> locked = MessageReader().receive(ends->ours.get());
    if (locked && locked->files.size() == 1) {
      gate_.emplace(std::move(locked->files[0]));
    }
  }

  bool has_gate() const { return gate_.has_value(); }
  pid_t process() const { return process_; }
  // Of the next that waits.
  bool let_through(pid_t process) const {
    pollfd polled{gate_->listener(), POLLIN, 0};
    return poll(&polled, 1, 60'000) == 1 && gate_->let_through(process);
  }
  // Of the process itself, and of a copy, whose parent is this process, too.
  int wait_for_it() const { return end_of(process_); }
  static int wait_for_a_copy() { return end_of(-1); }

 private:
  static int end_of(pid_t process) {
    int status = 0;
    return waitpid(process, &status, 0) < 0 ? -1
           : WIFSIGNALED(status)            ? WTERMSIG(status)
                                            : WEXITSTATUS(status);
  }

  pid_t process_ = -1;
  std::optional<CopyGate> gate_;
};

TEST(LockDown, LeavesAWayToEndByAFault) {
#if defined(HONE_SANITIZED)
  GTEST_SKIP() << "a sanitizer handles faults itself";
#endif
  EXPECT_EQ(end_when_locked([] { std::abort(); }), SIGABRT);
  const LockedProcess process([] {
    make_copy() == 0 ? std::abort() : void();
    return 0;
  });
  if (!process.has_gate()) {
    GTEST_SKIP() << "this kernel does not tell who makes copies";
  }
  EXPECT_TRUE(process.let_through(process.process()));
  EXPECT_EQ(process.wait_for_it(), 0);
  EXPECT_EQ(LockedProcess::wait_for_a_copy(), SIGSEGV);
}

TEST(LockDown, LeavesMemoryAndOpenFiles) {
  EXPECT_TRUE(holds_when_locked([] {
    const std::string large(std::size_t{64} << 20U, 'x');
    return large.back() == 'x' && write(STDERR_FILENO, "", 0) == 0;
  }));
}

TEST(LockDown, ACopyIsMadeByWhoIsLetThrough) {
  const LockedProcess process([] {
    const bool refused = make_copy() < 0 && errno == EPERM;
    const int copy = make_copy();
    if (copy == 0) {
      // The copy is locked, too.
      _exit(open("/etc/hostname", O_RDONLY) < 0 ? 0 : 1);
    }
    return refused && copy > 0 ? 0 : 1;
  });
  if (!process.has_gate()) {
    GTEST_SKIP() << "this kernel does not tell who makes copies";
  }
  EXPECT_FALSE(process.let_through(getpid())) << "it is another that waits";
  EXPECT_TRUE(process.let_through(process.process()));
  EXPECT_EQ(process.wait_for_it(), 0);
  EXPECT_EQ(LockedProcess::wait_for_a_copy(), 0);
}

// Nobody is left who could let it through.
TEST(LockDown, ACopyThatNobodyCanAllowIsRefused) {
  EXPECT_TRUE(holds_when_locked([] { return make_copy() < 0; }));
}

}  // namespace
}  // namespace hone
