#include "common/base/subprocess_start.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace hone {
namespace {

void set_limit(__rlimit_resource resource, std::uint64_t value) {
  if (value > 0) {
    const rlimit limit{value, value};
    setrlimit(resource, &limit);
  }
}

// Libraries open descriptors without O_CLOEXEC, Asio its sockets: none of them may get into the
// program, however it was opened.
void close_others_at_exec() {
  if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0) {
    return;
  }
  rlimit limit{};  // Linux before 5.11
  getrlimit(RLIMIT_NOFILE, &limit);
  for (rlim_t fd = 3; fd < limit.rlim_cur; ++fd) {
    fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
  }
}

}  // namespace

void start_program(const StartPlan& plan, int error_fd, pid_t guardian) {
  const Command& command = *plan.command;
  const auto tell = [&](const StartFailure& failure) {
    [[maybe_unused]] const ssize_t told = write(error_fd, &failure, sizeof failure);
    _exit(127);
  };
  const auto give_up = [&](int reason) { tell({.reason = reason}); };
  setpgid(0, 0);
  // New descriptors may collide with 0..2 only if those were closed; dup2 in this order is safe
  // since the sources are all above 2 (open_above_two).
  if (dup2(plan.stdin_fd, 0) < 0 || dup2(plan.stdout_fd, 1) < 0 || dup2(plan.stderr_fd, 2) < 0) {
    give_up(errno);
  }
  close_others_at_exec();
  for (const int fd : plan.keep) {
    fcntl(fd, F_SETFD, 0);
  }
  for (const std::filesystem::path& group : command.join_groups) {
    const int members = open(group.c_str(), O_WRONLY | O_CLOEXEC);
    if (members < 0 || write(members, "0", 1) != 1) {
      give_up(errno);
    }
    close(members);
  }
  if (!command.working_folder.empty() && chdir(command.working_folder.c_str()) != 0) {
    tell({.reason = errno, .named = true});
  }
  if (command.run_as) {
    if (setgroups(0, nullptr) != 0 || setgid(command.run_as->group) != 0 ||
        setuid(command.run_as->user) != 0) {
      give_up(errno);
    }
  }
  // Another user's program must not come back to ours through a set-user-ID file.
  if ((command.run_as || command.no_new_privileges) &&
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    give_up(errno);
  }
  // Should the guardian itself be killed. After setuid, which clears it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guardian) {
    _exit(127);
  }
  if (command.cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(*command.cpu), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
      give_up(errno);
    }
  }
  const RunLimits& limits = command.limits;
  if (limits.cpu_seconds > 0) {
    // SIGXCPU first, SIGKILL for a program that ignores it.
    const rlimit limit{limits.cpu_seconds, limits.cpu_seconds + 2};
    setrlimit(RLIMIT_CPU, &limit);
  }
  set_limit(RLIMIT_AS, limits.address_space_bytes);
  set_limit(RLIMIT_FSIZE, limits.file_size_bytes);
  set_limit(RLIMIT_NOFILE, limits.open_files);
  set_limit(RLIMIT_NPROC, limits.processes);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // exec resets handlers but keeps what is ignored: start from a known state, whatever the owner
  // does.
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD, SIGXCPU, SIGXFSZ}) {
    signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  tell({.reason = errno, .named = true});
  _exit(127);
}

}  // namespace hone
