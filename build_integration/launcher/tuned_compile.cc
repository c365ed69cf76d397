#include "build_integration/launcher/tuned_compile.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace hone {
namespace {

constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
// A compile that uses no CPU (it waits for something) is ended after this many times the CPU limit.
constexpr std::int64_t kWallFactor = 10;
constexpr std::int64_t kGraceMilliseconds = 3000;

volatile std::sig_atomic_t caught_signal = 0;
volatile pid_t running_child = -1;

void pass_on(int signal) {
  const int saved = errno;
  caught_signal = signal;
  if (running_child > 0) {
    ::kill(running_child, signal);
  }
  errno = saved;
}

// Our handlers and a usable SIGCHLD for as long as the child runs. What the caller of the launcher
// set up comes back at the end, and is what the child starts with.
class SignalScope {
 public:
  SignalScope() {
    sigset_t blocked;
    ::sigemptyset(&blocked);
    for (const int signal : kPassedOn) {
      ::sigaddset(&blocked, signal);
    }
    ::sigprocmask(SIG_BLOCK, &blocked, &old_mask_);
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) {
      ::sigaction(kPassedOn[i], nullptr, &old_[i]);
    }
    // If SIGCHLD is ignored, the kernel reaps children before we can ask how they ended.
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &standard, &old_child_);
  }
  void in_child() const {
    ::sigaction(SIGCHLD, &old_child_, nullptr);
    ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  }
  void in_parent(pid_t child) {
    running_child = child;
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) {
      if (old_[i].sa_handler != SIG_IGN) {
        struct sigaction ours{};
        ours.sa_handler = pass_on;
        ::sigaction(kPassedOn[i], &ours, nullptr);
      }
    }
    ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  }
  ~SignalScope() {
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) {
      ::sigaction(kPassedOn[i], &old_[i], nullptr);
    }
    ::sigaction(SIGCHLD, &old_child_, nullptr);
    ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  }
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

 private:
  sigset_t old_mask_{};
  std::array<struct sigaction, kPassedOn.size()> old_{};
  struct sigaction old_child_{};
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::int64_t now_milliseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1000000;
}

void limit_cpu(std::int64_t seconds) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CPU, &limit) == 0) {
    const auto wanted = static_cast<rlim_t>(seconds);
    limit.rlim_cur = std::min(limit.rlim_cur, wanted);
    // Who ignores SIGXCPU is killed a little later.
    limit.rlim_max = std::min(limit.rlim_max, wanted + 2);
    ::setrlimit(RLIMIT_CPU, &limit);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

// The child's part; never comes back.
[[noreturn]] void become(const std::vector<char*>& arguments, const SignalScope& signals,
                         int standard_error, std::int64_t cpu_limit_seconds) {
  if (::dup2(standard_error, STDERR_FILENO) < 0) {
    ::_exit(kExecFailed);
  }
  // If somebody kills the launcher outright, no compile goes on behind his back.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  limit_cpu(cpu_limit_seconds);
  signals.in_child();
  ::execvp(arguments[0], arguments.data());
  ::_exit(kExecFailed);
}

// Waits for the child, taking its messages meanwhile. Kills it at the wall-clock backstop.
void wait_for(pid_t child, HeldStderr& held, std::int64_t wall_limit, TunedEnd& end) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  const std::int64_t deadline = now_milliseconds() + wall_limit * 1000;
  rusage usage{};
  while (true) {
    const pid_t ended = ::wait4(child, &end.wait_status, WNOHANG, &usage);
    if (ended == child || (ended < 0 && errno != EINTR)) {
      break;
    }
    const std::int64_t late = now_milliseconds() - deadline;
    if (late > kGraceMilliseconds) {
      ::kill(child, SIGKILL);
    } else if (late > 0 && !end.over_limit) {
      end.over_limit = true;
      ::kill(child, SIGTERM);  // on which clang removes what it has half written
    }
    // Entries with a negative descriptor are ignored. Without a pidfd (an old kernel) we look 100
    // times a second.
    std::array<pollfd, 2> waiting = {pollfd{process.get(), POLLIN, 0},
                                     pollfd{held.readable(), POLLIN, 0}};
    ::poll(waiting.data(), waiting.size(), process ? 1000 : 10);
    held.pump();
  }
  running_child = -1;
  end.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

}  // namespace

TunedEnd run_tuned(const TunedCommand& command, HeldStderr& held) {
  TunedEnd end;
  std::vector<char*> arguments;
  arguments.reserve(command.arguments.size() + 1);
  for (const std::string& argument : command.arguments) {
    arguments.push_back(const_cast<char*>(argument.c_str()));  // execvp does not write to them
  }
  arguments.push_back(nullptr);

  SignalScope signals;
  caught_signal = 0;
  const pid_t child = ::fork();
  if (child < 0) {
    return end;
  }
  if (child == 0) {
    become(arguments, signals, held.child_end(), command.cpu_limit_seconds);
  }
  signals.in_parent(child);
  held.child_started();
  end.started = true;
  end.started_at = std::time(nullptr);
  wait_for(child, held, command.cpu_limit_seconds * kWallFactor, end);
  end.caught_signal = caught_signal;
  // The limit is counted in ticks, the sum exactly: they differ by up to a tenth. The sum is what
  // tells when the compiler proper is a child of the driver or of a cache.
  const bool killed_by_limit = WIFSIGNALED(end.wait_status) && WTERMSIG(end.wait_status) == SIGXCPU;
  if (killed_by_limit || end.cpu_seconds >= 0.8 * static_cast<double>(command.cpu_limit_seconds)) {
    end.over_limit = true;
  }
  return end;
}

}  // namespace hone
