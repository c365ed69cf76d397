#include "server/store/cluster/postmaster.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <system_error>
#include <vector>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Lines of postmaster.pid, from 0 (PostgreSQL's miscadmin.h counts from 1).
constexpr std::size_t kStatusLine = 7;
// Start anew beyond this size; one older log is kept.
constexpr std::uintmax_t kLogLimit = std::uintmax_t{16} << 20U;

// Settings of a database that shares its machine with benchmarks: small, quiet, no parallel
// queries.
const std::vector<std::string>& settings() {
  static const std::vector<std::string> kSettings = {
      "listen_addresses=",
      "port=5432",
      "unix_socket_permissions=0700",
      "max_connections=50",
      "shared_buffers=64MB",
      "work_mem=8MB",
      "maintenance_work_mem=64MB",
      "max_wal_size=512MB",
      "wal_compression=on",
      "huge_pages=off",
      "jit=off",
      "max_parallel_workers_per_gather=0",
      "autovacuum_naptime=10s",
      // After a crash: one syncfs() in place of an fsync() of every file, seconds against
      // milliseconds.
      "recovery_init_sync_method=syncfs",
      "log_destination=stderr",
      "logging_collector=off",
      "log_min_messages=warning",
      "log_checkpoints=off",
      "log_line_prefix=%m [%p] ",
      "lc_messages=C",
      "restart_after_crash=on",
  };
  return kSettings;
}

// A list of folders as the setting is parsed: quoted, so that a comma or blank belongs to the name.
std::string quoted_folder(const fs::path& folder) {
  std::string text = "\"";
  for (const char c : folder.native()) {
    text.push_back(c);
    if (c == '"') {
      text.push_back('"');
    }
  }
  return text + "\"";
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) {
    list.push_back(const_cast<char*>(text.c_str()));  // execve's signature, it does not write
  }
  list.push_back(nullptr);
  return list;
}

// Everything the child needs, made before fork: after it only async-signal-safe calls.
struct Plan {
  std::string program;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::string folder;
  const ClusterUser* user = nullptr;
  int log_fd = -1;
  int null_fd = -1;
  int error_fd = -1;
  pid_t parent = 0;
};

[[noreturn]] void become_postmaster(const Plan& plan) {
  const auto give_up = [&plan] {
    const int reason = errno;
    [[maybe_unused]] const ssize_t told = ::write(plan.error_fd, &reason, sizeof reason);
    ::_exit(127);
  };
  ::setsid();
  // The sources are all above 2, or they would be overwritten.
  if (::dup2(plan.null_fd, 0) < 0 || ::dup2(plan.log_fd, 1) < 0 || ::dup2(plan.log_fd, 2) < 0) {
    give_up();
  }
  // Asio's sockets are not close-on-exec: a postmaster that outlives us must not hold our port.
  for (int fd = 3; fd < 4096; ++fd) {
    if (fd != plan.error_fd) {
      ::close(fd);
    }
  }
  if (::chdir(plan.folder.c_str()) != 0) {
    give_up();
  }
  if (plan.user->differs && (::setgroups(0, nullptr) != 0 || ::setgid(plan.user->group) != 0 ||
                             ::setuid(plan.user->user) != 0)) {
    give_up();
  }
  // After setuid, which clears it.
  ::prctl(PR_SET_PDEATHSIG, SIGINT);
  if (::getppid() != plan.parent) {
    ::_exit(127);  // it died before the line above
  }
  ::umask(077);
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2}) {
    ::signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  give_up();
  ::_exit(127);
}

Result<UniqueFd> above_two(UniqueFd file, const std::string& what) {
  if (!file) {
    return system_error(what, errno);
  }
  UniqueFd moved(::fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
  if (!moved) {
    return system_error(what, errno);
  }
  return moved;
}

}  // namespace

std::optional<PostmasterFile> read_postmaster_file(const ClusterPaths& paths) {
  const Result<std::string> text = read_file(paths.data / "postmaster.pid", 65536);
  if (!text) {
    return std::nullopt;
  }
  const std::vector<std::string_view> lines = split(*text, '\n');
  PostmasterFile file;
  const std::string_view pid = trim(lines.front());
  std::from_chars(pid.data(), pid.data() + pid.size(), file.pid);
  file.ready = lines.size() > kStatusLine && trim(lines[kStatusLine]) == "ready";
  return file;
}

bool is_postmaster_of(pid_t pid, const ClusterPaths& paths) {
  if (pid <= 1) {
    return false;
  }
  const fs::path process = fs::path("/proc") / std::to_string(pid);
  std::error_code error;
  const fs::path program = fs::read_symlink(process / "exe", error);
  if (error || !program.filename().string().starts_with("postgres")) {
    return false;
  }
  // A postmaster works in its data folder.
  return fs::equivalent(process / "cwd", paths.data, error) && !error;
}

Result<pid_t> spawn_postmaster(const ClusterOptions& options, const ClusterPaths& paths,
                               const ClusterUser& user) {
  std::error_code ignored;  // no log yet, or it stays as it is
  if (fs::file_size(paths.log, ignored) > kLogLimit && !ignored) {
    fs::rename(paths.log, paths.log.string() + ".1", ignored);
  }
  std::vector<std::string> arguments = {(options.binaries / "postgres").string(), "-D",
                                        paths.data.string(), "-c",
                                        "unix_socket_directories=" + quoted_folder(paths.run)};
  for (const std::string& setting : settings()) {
    arguments.emplace_back("-c");
    arguments.push_back(setting);
  }
  const std::vector<std::string> environment = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                                "LC_ALL=C.UTF-8"};
  Plan plan;
  plan.program = arguments.front();
  plan.argv = pointers(arguments);
  plan.envp = pointers(environment);
  plan.folder = paths.data.string();
  plan.user = &user;
  plan.parent = ::getpid();
  const std::string what = "cannot start PostgreSQL";
  HONE_TRY(const UniqueFd log,
           above_two(UniqueFd(::open(paths.log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600)),
                     "cannot write " + paths.log.string()));
  HONE_TRY(const UniqueFd null,
           above_two(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)), what));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return system_error(what, errno);
  }
  const UniqueFd errors(ends[0]);
  HONE_TRY(UniqueFd tells, above_two(UniqueFd(ends[1]), what));
  plan.log_fd = log.get();
  plan.null_fd = null.get();
  plan.error_fd = tells.get();

  const pid_t child = ::fork();
  if (child < 0) {
    return system_error(what, errno);
  }
  if (child == 0) {
    become_postmaster(plan);
  }
  tells.reset();
  // Ends at once when the exec closes the other end.
  int reason = 0;
  ssize_t got = 0;
  do {
    got = ::read(errors.get(), &reason, sizeof reason);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof reason)) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    Error error = system_error(what, reason);
    if (reason == EACCES || reason == EPERM) {
      error.code = ErrorCode::permission_denied;
    }
    return error;
  }
  return child;
}

}  // namespace hone
