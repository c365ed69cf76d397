#include "build_integration/linker/plain_link.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace hone {
namespace {

constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

[[noreturn]] void die_by(int signal) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal, SIG_DFL);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace

int exec_command(char* const* command) {
  ::execvp(command[0], command);
  const int reason = errno;
  std::fprintf(stderr, "hone-link: cannot run %s: %s\n", command[0], std::strerror(reason));
  return reason == ENOENT ? 127 : 126;
}

int run_command(char* const* command) {
  // All that concerns us is blocked and taken one by one: no handler, and nothing gets lost between
  // the fork and the first wait. What our caller ignores stays ignored, by the child too.
  sigset_t watched;
  sigset_t before;
  ::sigemptyset(&watched);
  ::sigaddset(&watched, SIGCHLD);
  for (const int signal : kPassedOn) {
    ::sigaddset(&watched, signal);
  }
  ::sigprocmask(SIG_BLOCK, &watched, &before);
  struct sigaction standard{};
  struct sigaction child_before{};
  standard.sa_handler = SIG_DFL;  // ignored, children would be reaped before we ask how they ended
  ::sigaction(SIGCHLD, &standard, &child_before);
  const pid_t owner = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    ::sigaction(SIGCHLD, &child_before, nullptr);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return exec_command(command);
  }
  if (child == 0) {
    ::sigaction(SIGCHLD, &child_before, nullptr);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    // If somebody kills us outright, no link goes on behind his back.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != owner) {
      ::_exit(127);
    }
    const int failed = exec_command(command);
    std::fflush(stderr);
    ::_exit(failed);
  }
  int status = 0;
  while (true) {
    siginfo_t happened{};
    const int signal = ::sigwaitinfo(&watched, &happened);
    if (signal == SIGCHLD && ::waitpid(child, &status, WNOHANG) == child) {
      break;
    }
    if (signal > 0 && signal != SIGCHLD) {
      ::kill(child, signal);
    }
  }
  if (WIFSIGNALED(status)) {
    die_by(WTERMSIG(status));
  }
  ::sigaction(SIGCHLD, &child_before, nullptr);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return WEXITSTATUS(status);
}

}  // namespace hone
