// Three processes, a file for each: the owner is here, the guardian that it forks in
// subprocess_guardian.cc, what becomes the program in subprocess_start.cc.
#include "common/base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <string_view>

#include "common/base/file.h"
#include "common/base/subprocess_guardian.h"
#include "common/base/subprocess_stream.h"
#include "common/base/text.h"

namespace hone {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) {
    list.push_back(const_cast<char*>(text.c_str()));  // execve's signature, it does not write
  }
  list.push_back(nullptr);
  return list;
}

std::string cannot_start(std::string_view program) {
  return "cannot start '" + std::string(program) + "'";
}

// Tells who the guardian is, as long as there is one.
class ToldGuardian {
 public:
  ToldGuardian(std::atomic<pid_t>* where, pid_t guardian) : where_(where) { tell(guardian); }
  ~ToldGuardian() { tell(0); }
  ToldGuardian(const ToldGuardian&) = delete;
  ToldGuardian& operator=(const ToldGuardian&) = delete;

  void tell(pid_t guardian) {
    if (where_ != nullptr) {
      where_->store(guardian);
    }
  }

 private:
  std::atomic<pid_t>* where_;
};

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
      return "stopped after " + std::to_string(std::lround(wall_seconds)) + " s (time limit)";
    case RunEnd::stopped:
      return "stopped on request";
  }
  return "ended";
}

Result<RunReport> run(const Command& command, const std::stop_token& stop) {
  if (command.arguments.empty() || command.arguments.front().empty()) {
    return fail(ErrorCode::invalid_argument, "an empty command cannot be run");
  }
  StartPlan plan;
  plan.command = &command;
  HONE_TRY(plan.program, find_program(command));
  plan.argv = pointers(command.arguments);
  plan.envp = pointers(command.environment);
  plan.keep = command.inherit_descriptors;

  RunReport result;
  HONE_TRY(const UniqueFd input,
           open_above_two(command.stdin_file.empty() ? "/dev/null" : command.stdin_file, O_RDONLY));
  HONE_TRY(ProgramStream out,
           ProgramStream::open(command.stdout_file, result.stdout_text, result.stdout_dropped));
  HONE_TRY(ProgramStream err,
           ProgramStream::open(command.stderr_file, result.stderr_text, result.stderr_dropped));
  int report_pipe[2];
  if (pipe2(report_pipe, O_CLOEXEC) != 0) {
    return machine_error("cannot make a pipe", errno);
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
    return machine_error("cannot fork", fork_errno);
  }
  ToldGuardian told(command.guardian, guardian);
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
  told.tell(0);  // once it is reaped, the number may be another's
  while (waitpid(guardian, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (got != static_cast<ssize_t>(sizeof report)) {
    return fail(ErrorCode::unavailable, "lost the guardian of '" + command.arguments.front() + "'");
  }
  if (report.failure.reason != 0) {
    return report.failure.named
               ? start_error(command.arguments.front(), report.failure.reason)
               : machine_error(cannot_start(command.arguments.front()), report.failure.reason);
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
  Error error = system_error(cannot_start(program), errno_value);
  switch (errno_value) {
    case ENOENT:
      error.code = ErrorCode::not_found;
      break;
    case EACCES:
    case EPERM:
      error.code = ErrorCode::permission_denied;
      break;
    case E2BIG:
    case EINVAL:
    case EISDIR:
    case ELIBBAD:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOEXEC:
    case ENOTDIR:
      break;
    default:
      // ETXTBSY too: somebody of ours still holds what he wrote it by.
      error.code = ErrorCode::unavailable;
  }
  return error;
}

}  // namespace hone
