// Longer than most files here: owner and guardian are two sides of one fork, share its plan and
// report, and must be read together.
#include "common/base/subprocess.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "common/base/descendants.h"
#include "common/base/file.h"
#include "common/base/text.h"

extern char** environ;

namespace hone {
namespace {

// What the guardian tells us, once the program ended or could not be started.
struct GuardianReport {
  int start_errno = 0;
  int status = 0;
  rusage usage{};
};

// Everything the children need, prepared before fork: after it only async-signal-safe calls.
struct Plan {
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::string program;
  const Command* command = nullptr;
  int stdin_fd = -1;
  int stdout_fd = -1;
  int stderr_fd = -1;
  int report_fd = -1;
  std::vector<int> keep;
};

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

[[noreturn]] void start_program(const Plan& plan, int error_fd, pid_t guardian) {
  const Command& command = *plan.command;
  const auto give_up = [&](int reason) {
    [[maybe_unused]] const ssize_t told = write(error_fd, &reason, sizeof reason);
    _exit(127);
  };
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
    give_up(errno);
  }
  if (command.run_as) {
    if (setgroups(0, nullptr) != 0 || setgid(command.run_as->group) != 0 ||
        setuid(command.run_as->user) != 0) {
      give_up(errno);
    }
    // Another user's program must not come back to ours through a set-user-ID file.
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
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
  give_up(errno);
  _exit(127);
}

[[noreturn]] void guard(const Plan& plan, pid_t owner) {
  // Its own session: a terminal's Ctrl-C goes to the owner, which decides.
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Every signal is blocked since before the fork, so the owner's handlers never run in here.
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGTERM);
  sigaddset(&watched, SIGCHLD);
  signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  GuardianReport report;
  if (getppid() != owner) {
    _exit(1);  // the owner died before the line above
  }
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) {
    report.start_errno = errno;
  } else {
    const pid_t self = getpid();
    const pid_t program = fork();
    if (program == 0) {
      close(error_pipe[0]);
      start_program(plan, error_pipe[1], self);
    }
    close(error_pipe[1]);
    close(plan.stdin_fd);
    close(plan.stdout_fd);
    close(plan.stderr_fd);
    if (program < 0) {
      report.start_errno = errno;
    } else {
      int reason = 0;
      ssize_t got = 0;
      do {
        got = read(error_pipe[0], &reason, sizeof reason);
      } while (got < 0 && errno == EINTR);
      if (got == sizeof reason) {
        report.start_errno = reason;
      }
      bool ended = false;
      while (!ended) {
        int status = 0;
        pid_t reaped = 0;
        while ((reaped = waitpid(-1, &status, WNOHANG)) > 0) {
          if (reaped == program) {
            report.status = status;
            ended = true;
          }
        }
        if (!ended) {
          int which = 0;
          sigwait(&watched, &which);
          if (which == SIGTERM) {
            kill_descendants(program);
            report.status = SIGKILL;
            ended = true;
          }
        }
      }
      kill_descendants(program);
      getrusage(RUSAGE_CHILDREN, &report.usage);
    }
  }
  [[maybe_unused]] const ssize_t told = write(plan.report_fd, &report, sizeof report);
  _exit(0);
}

// open(2) that never returns 0, 1 or 2, so that dup2 onto those cannot destroy a source.
Result<UniqueFd> open_above_two(const std::filesystem::path& path, int flags) {
  const UniqueFd file(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!file) {
    return system_error("cannot open " + path.string(), errno);
  }
  UniqueFd moved(::fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
  if (!moved) {
    return system_error("cannot open " + path.string(), errno);
  }
  return moved;
}

// A stream of the program: a file it writes itself, or a pipe whose reading end we keep.
struct Stream {
  UniqueFd theirs;
  UniqueFd ours;
  std::string* text = nullptr;
  std::uint64_t* dropped = nullptr;

  static Result<Stream> open(const std::filesystem::path& file, std::string& text,
                             std::uint64_t& dropped) {
    Stream stream;
    stream.text = &text;
    stream.dropped = &dropped;
    if (!file.empty()) {
      HONE_TRY(stream.theirs, open_above_two(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
      return stream;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      return system_error("cannot make a pipe", errno);
    }
    stream.ours = UniqueFd(ends[0]);
    const UniqueFd low(ends[1]);
    stream.theirs = UniqueFd(fcntl(low.get(), F_DUPFD_CLOEXEC, 3));
    fcntl(stream.ours.get(), F_SETFL, O_NONBLOCK);
    return stream;
  }

  void drain(std::size_t limit) {
    char piece[65536];
    while (ours) {
      const ssize_t got = read(ours.get(), piece, sizeof piece);
      if (got > 0) {
        const auto size = static_cast<std::size_t>(got);
        const std::size_t room = limit > text->size() ? limit - text->size() : 0;
        text->append(piece, std::min(size, room));
        *dropped += size - std::min(size, room);
      } else if (got == 0) {
        ours.reset();
      } else if (errno != EINTR) {
        return;
      }
    }
  }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) {
    list.push_back(const_cast<char*>(text.c_str()));  // execve's signature, it does not write
  }
  list.push_back(nullptr);
  return list;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

Result<std::string> find_program(const Command& command) {
  const std::string& name =
      command.program.empty() ? command.arguments.front() : command.program.native();
  if (name.find('/') != std::string::npos) {
    return name;
  }
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& variable : command.environment) {
    if (variable.starts_with("PATH=")) {
      path = std::string_view(variable).substr(5);
    }
  }
  for (const std::string_view folder : split(path, ':')) {
    std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return fail(ErrorCode::not_found, "no program '" + name + "' in PATH");
}

std::string RunReport::describe_end() const {
  switch (end) {
    case RunEnd::exited:
      return "exit code " + std::to_string(exit_code);
    case RunEnd::signalled:
      return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
    case RunEnd::timed_out:
      return "stopped after " + std::to_string(static_cast<int>(wall_seconds + 0.5)) +
             " s (time limit)";
    case RunEnd::stopped:
      return "stopped on request";
  }
  return "ended";
}

Result<RunReport> run(const Command& command, const std::stop_token& stop) {
  if (command.arguments.empty() || command.arguments.front().empty()) {
    return fail(ErrorCode::invalid_argument, "an empty command cannot be run");
  }
  Plan plan;
  plan.command = &command;
  HONE_TRY(plan.program, find_program(command));
  plan.argv = pointers(command.arguments);
  plan.envp = pointers(command.environment);
  plan.keep = command.inherit_descriptors;

  RunReport result;
  HONE_TRY(const UniqueFd input,
           open_above_two(command.stdin_file.empty() ? "/dev/null" : command.stdin_file, O_RDONLY));
  HONE_TRY(Stream out,
           Stream::open(command.stdout_file, result.stdout_text, result.stdout_dropped));
  HONE_TRY(Stream err,
           Stream::open(command.stderr_file, result.stderr_text, result.stderr_dropped));
  int report_pipe[2];
  if (pipe2(report_pipe, O_CLOEXEC) != 0) {
    return system_error("cannot make a pipe", errno);
  }
  const UniqueFd report_in(report_pipe[0]);
  UniqueFd report_out(report_pipe[1]);
  plan.stdin_fd = input.get();
  plan.stdout_fd = out.theirs.get();
  plan.stderr_fd = err.theirs.get();
  plan.report_fd = report_out.get();

  const auto started = std::chrono::steady_clock::now();
  const pid_t owner = getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t guardian = fork();
  if (guardian == 0) {
    guard(plan, owner);
  }
  const int fork_errno = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (guardian < 0) {
    return system_error("cannot fork", fork_errno);
  }
  report_out.reset();
  out.theirs.reset();
  err.theirs.reset();

  GuardianReport report;
  ssize_t got = 0;
  bool ending = false;
  result.end = RunEnd::exited;
  while (true) {
    pollfd waits[3] = {
        {report_in.get(), POLLIN, 0}, {out.ours.get(), POLLIN, 0}, {err.ours.get(), POLLIN, 0}};
    // The tick bounds how late a stop request or the time limit is noticed.
    poll(waits, 3, 50);
    out.drain(command.capture_limit);
    err.drain(command.capture_limit);
    // A guardian that was killed leaves a pipe that another call's guardian may hold open, so its
    // end is looked at too. The report is written before the end: read once more after seeing it.
    const bool gone = waits[0].revents == 0 && waitpid(guardian, nullptr, WNOHANG) == guardian;
    if (waits[0].revents != 0 || gone) {
      pollfd last = {report_in.get(), POLLIN, 0};
      if (gone && poll(&last, 1, 0) <= 0) {
        break;
      }
      got = read(report_in.get(), &report, sizeof report);
      if (got >= 0 || errno != EINTR) {
        break;
      }
    }
    const auto elapsed = std::chrono::steady_clock::now() - started;
    const bool late = command.limits.wall_time.count() > 0 && elapsed > command.limits.wall_time;
    if (!ending && (late || stop.stop_requested())) {
      result.end = late ? RunEnd::timed_out : RunEnd::stopped;
      kill(guardian, SIGTERM);
      ending = true;
    }
  }
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  out.drain(command.capture_limit);
  err.drain(command.capture_limit);
  while (waitpid(guardian, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (got != static_cast<ssize_t>(sizeof report)) {
    return fail(ErrorCode::io_failed, "lost the guardian of '" + command.arguments.front() + "'");
  }
  if (report.start_errno != 0) {
    return start_error(command.arguments.front(), report.start_errno);
  }
  result.cpu_seconds = seconds(report.usage.ru_utime) + seconds(report.usage.ru_stime);
  result.peak_rss_bytes = report.usage.ru_maxrss * 1024;
  if (result.end == RunEnd::exited) {
    if (WIFSIGNALED(report.status)) {
      result.end = RunEnd::signalled;
      result.signal = WTERMSIG(report.status);
    } else {
      result.exit_code = WEXITSTATUS(report.status);
    }
  }
  return result;
}

Error start_error(std::string_view program, int errno_value) {
  Error error = system_error("cannot start '" + std::string(program) + "'", errno_value);
  if (errno_value == ENOENT) {
    error.code = ErrorCode::not_found;
  } else if (errno_value == EACCES || errno_value == EPERM) {
    error.code = ErrorCode::permission_denied;
  }
  return error;
}

std::vector<std::string> current_environment() {
  std::vector<std::string> list;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    list.emplace_back(*variable);
  }
  return list;
}

void set_variable(std::vector<std::string>& environment, std::string_view name,
                  std::string_view value) {
  const std::string prefix = std::string(name) + "=";
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(prefix); });
  environment.push_back(prefix + std::string(value));
}

}  // namespace hone
