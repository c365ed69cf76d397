#include "staging/sandbox/seccomp_profile.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>

#include <gtest/gtest.h>

namespace hone {
namespace {

// errno of a call made by a process under the filter, 0 if it succeeded; 255 if there is no filter.
int under_filter(const std::function<long()>& call) {
  const Result<std::string> program = seccomp_program();
  EXPECT_TRUE(program.has_value());
  const pid_t child = fork();
  if (child == 0) {
    std::string bytes = *program;
    sock_fprog filter{};
    filter.len = static_cast<unsigned short>(bytes.size() / sizeof(sock_filter));
    filter.filter = reinterpret_cast<sock_filter*>(bytes.data());
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
      _exit(255);
    }
    _exit(call() < 0 ? errno : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(SeccompProfile, RefusesWhatReachesOtherProcessesAndTheKernel) {
  EXPECT_EQ(under_filter([] { return syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0); }), EPERM);
  EXPECT_EQ(under_filter([] { return syscall(SYS_process_vm_readv, getpid(), 0, 0, 0, 0, 0); }),
            EPERM);
  EXPECT_EQ(under_filter([] { return syscall(SYS_bpf, 0, 0, 0); }), EPERM);
  EXPECT_EQ(under_filter([] { return syscall(SYS_perf_event_open, 0, 0, -1, -1, 0); }), EPERM);
  EXPECT_EQ(under_filter([] { return syscall(SYS_keyctl, 0, -3, 0); }), EPERM);
  EXPECT_EQ(under_filter([] { return syscall(SYS_io_uring_setup, 1, 0); }), EPERM);
  EXPECT_EQ(under_filter([] { return syscall(SYS_mount, "x", "/tmp", "tmpfs", 0, 0); }), EPERM);
}

TEST(SeccompProfile, RefusesNamespacesByEveryWay) {
  EXPECT_EQ(under_filter([] { return long{unshare(CLONE_NEWUSER)}; }), EPERM);
  EXPECT_EQ(under_filter([] { return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0); }),
            EPERM);
  EXPECT_EQ(under_filter([] { return syscall(SYS_clone, CLONE_NEWNET | SIGCHLD, 0, 0, 0, 0); }),
            EPERM);
  EXPECT_EQ(under_filter([] { return syscall(SYS_clone3, 0, 0); }), ENOSYS);
}

TEST(SeccompProfile, LeavesSocketsThatANamespaceHolds) {
  for (const int family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}) {
    EXPECT_EQ(under_filter([&] { return long{socket(family, SOCK_DGRAM, 0)}; }), 0) << family;
  }
  for (const int family : {AF_PACKET, AF_ALG, AF_VSOCK, AF_BLUETOOTH, 200}) {
    EXPECT_EQ(under_filter([&] { return long{socket(family, SOCK_STREAM, 0)}; }), EAFNOSUPPORT)
        << family;
  }
  // The kernel looks at the low half of the register only.
  constexpr long kVsock = 0x1'0000'0000L | AF_VSOCK;
  EXPECT_EQ(under_filter([] { return syscall(SYS_socket, kVsock, SOCK_STREAM, 0); }), EAFNOSUPPORT);
  constexpr int kAudit = 9;
  EXPECT_EQ(under_filter([] { return long{socket(AF_NETLINK, SOCK_RAW, kAudit)}; }), EAFNOSUPPORT);
}

TEST(SeccompProfile, RefusesTypingIntoATerminal) {
  constexpr long kTiocsti = 0x1'0000'0000L | TIOCSTI;
  EXPECT_EQ(under_filter([] { return syscall(SYS_ioctl, 0, kTiocsti, "x"); }), EPERM);
}

TEST(SeccompProfile, OrdinaryProgramsRun) {
  EXPECT_EQ(under_filter([] {
              const pid_t child = fork();
              if (child == 0) {
                _exit(0);
              }
              int status = 0;
              return long{waitpid(child, &status, 0) == child ? 0 : -1};
            }),
            0);
  EXPECT_EQ(under_filter([] {
              pthread_t thread{};
              errno = pthread_create(&thread, nullptr, [](void* x) { return x; }, nullptr);
              return long{errno != 0 ? -1 : 0};
            }),
            0);
}

}  // namespace
}  // namespace hone
