#include "build_integration/cli/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include "common/base/file.h"
#include "common/base/interrupt.h"

namespace hone {
namespace {

constexpr int kCannotStart = 127;

// Between fork and exec: only calls that are safe there. Does not return.
[[noreturn]] void become(char* const* arguments, int input, int output, int failure, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) {  // it died before the kernel was told
    ::_exit(kCannotStart);
  }
  unblock_interrupts();
  if (::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
      ::dup2(output, STDERR_FILENO) >= 0) {
    ::execv(arguments[0], arguments);
  }
  const int reason = errno;
  const ssize_t ignored = ::write(failure, &reason, sizeof reason);
  static_cast<void>(ignored);
  ::_exit(kCannotStart);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& arguments,
                                         const std::filesystem::path& log) {
  const UniqueFd output(::open(log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (!output) {
    return system_error("cannot write " + log.string(), errno);
  }
  const UniqueFd input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::error_code ignored;
  const std::uintmax_t log_start = std::filesystem::file_size(log, ignored);
  int ends[2];
  if (!input || ::pipe2(ends, O_CLOEXEC) != 0) {
    return system_error("cannot start " + arguments.front(), errno);
  }
  const UniqueFd failure(ends[0]);
  UniqueFd failure_writer(ends[1]);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    return system_error("cannot start " + arguments.front(), errno);
  }
  if (pid == 0) {
    become(argv.data(), input.get(), output.get(), failure_writer.get(), parent);
  }
  failure_writer.reset();
  ChildProcess child(pid, log, log_start);
  // The pipe closes when exec succeeds, or carries the reason why it did not.
  int reason = 0;
  ssize_t size = 0;
  do {
    size = ::read(failure.get(), &reason, sizeof reason);
  } while (size < 0 && errno == EINTR);
  if (size == static_cast<ssize_t>(sizeof reason)) {
    child.reap(0);
    return reason == ENOENT ? fail(ErrorCode::not_found, "there is no program " + arguments.front())
                            : system_error("cannot start " + arguments.front(), reason);
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      log_(std::move(other.log_)),
      log_start_(other.log_start_),
      status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0 && !status_) {
    ::kill(pid_, SIGKILL);
    reap(0);
  }
}

bool ChildProcess::reap(int flags) {
  if (status_) {
    return true;
  }
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(pid_, &status, flags);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) {
    return false;
  }
  status_ = ended == pid_ ? status : 0;
  return true;
}

std::optional<std::string> ChildProcess::ended() {
  if (!reap(WNOHANG)) {
    return std::nullopt;
  }
  const int status = status_.value_or(0);
  if (WIFSIGNALED(status)) {
    return "killed by signal " + std::to_string(WTERMSIG(status));
  }
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

std::optional<int> ChildProcess::exit_code() {
  if (!reap(WNOHANG) || !WIFEXITED(status_.value_or(0))) {
    return std::nullopt;
  }
  return WEXITSTATUS(status_.value_or(0));
}

bool ChildProcess::stop(std::chrono::milliseconds patience) {
  if (!reap(WNOHANG)) {
    ::kill(pid_, SIGTERM);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!reap(WNOHANG)) {
      if (std::chrono::steady_clock::now() > deadline) {
        ::kill(pid_, SIGKILL);
        reap(0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  const int status = status_.value_or(0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string ChildProcess::log_tail(std::size_t limit) const {
  std::ifstream file(log_, std::ios::binary);
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::uintmax_t>(file.tellg());
  const std::uintmax_t from = std::max(log_start_, size > limit ? size - limit : 0);
  file.seekg(static_cast<std::streamoff>(from));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace hone
