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

#include "build_integration/launcher/process_tree.h"

namespace hone {
namespace {

constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
// A compile that uses no CPU (it waits for something) is ended after this many times the CPU limit.
constexpr std::int64_t kWallFactor = 10;
constexpr std::int64_t kGraceMilliseconds = 3000;
constexpr int kLookMilliseconds = 1000;

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

// Of this process and all that it starts, for ever: only for what starts no daemon.
void limit_compiler(std::int64_t seconds) {
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
                         const TunedCommand& command, const HeldOutputs& held) {
  if (!held.become_standard()) {
    ::_exit(kExecFailed);
  }
  // If somebody kills the launcher outright, no compile goes on behind his back.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (command.is_compiler) {
    limit_compiler(command.cpu_limit_seconds);
  }
  signals.in_child();
  ::execvp(arguments[0], arguments.data());
  ::_exit(kExecFailed);
}

// Says when a child that has no limits of its own must be ended.
class Watch {
 public:
  Watch(pid_t child, const TunedCommand& command)
      : child_(child),
        command_(command),
        deadline_(now_milliseconds() + command.cpu_limit_seconds * kWallFactor * 1000),
        next_look_(now_milliseconds() + kLookMilliseconds) {}

  bool is_over_limit() {
    const std::int64_t now = now_milliseconds();
    if (now >= deadline_) {
      return true;
    }
    if (command_.is_compiler || now < next_look_) {
      return false;
    }
    next_look_ = now + kLookMilliseconds;
    return look_at_processes(child_).cpu_seconds > static_cast<double>(command_.cpu_limit_seconds);
  }

 private:
  pid_t child_;
  const TunedCommand& command_;
  std::int64_t deadline_;
  std::int64_t next_look_;
};

// Waits for the child, taking what it writes meanwhile. Ends it, and what it has started, where it
// is over a limit: by SIGTERM, on which clang removes what it has half written, then by SIGKILL.
void wait_for(pid_t child, HeldOutputs& held, const TunedCommand& command, TunedEnd& end) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  Watch watch(child, command);
  std::int64_t kill_at = 0;  // 0: nothing is wrong
  rusage usage{};
  while (true) {
    const pid_t ended = ::wait4(child, &end.wait_status, WNOHANG, &usage);
    if (ended == child || (ended < 0 && errno != EINTR)) {
      break;
    }
    if (kill_at == 0) {
      end.too_much = held.is_too_much();
      end.over_limit = watch.is_over_limit();
      if (end.too_much || end.over_limit) {
        kill_at = now_milliseconds() + kGraceMilliseconds;
        signal_processes(look_at_processes(child), SIGTERM);
      }
    } else if (now_milliseconds() > kill_at) {
      signal_processes(look_at_processes(child), SIGKILL);
    }
    // Entries with a negative descriptor are ignored. Without a pidfd (an old kernel) we look 100
    // times a second.
    const std::array<int, 2> readable = held.readable();
    std::array<pollfd, 3> waiting = {pollfd{process.get(), POLLIN, 0},
                                     pollfd{readable[0], POLLIN, 0},
                                     pollfd{readable[1], POLLIN, 0}};
    ::poll(waiting.data(), waiting.size(), process ? kLookMilliseconds : 10);
    held.pump();
  }
  held.pump();
  running_child = -1;
  end.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

}  // namespace

TunedEnd run_tuned(const TunedCommand& command, HeldOutputs& held) {
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
    become(arguments, signals, command, held);
  }
  signals.in_parent(child);
  held.child_started();
  end.started = true;
  end.started_at = std::time(nullptr);
  wait_for(child, held, command, end);
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
