#include "common/sessions/session_program.h"

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "common/base/environment.h"

namespace hone {
namespace {

// What its environment has of ours. Its sessions' processes, which may be taken over by what they
// compile, have that in their memory: passwords and keys, which honed may have there, are nothing
// for them. What begins like these is for the loader, the C library, sanitizers and LLVM.
constexpr auto kPassedOn =
    std::to_array<std::string_view>({"PATH=", "HOME=", "TMPDIR=", "TZ=", "LANG=", "HONE_IR2VEC="});
constexpr auto kPassedOnWithPrefix = std::to_array<std::string_view>(
    {"LC_", "LD_", "GLIBC_", "MALLOC_", "ASAN_", "LSAN_", "MSAN_", "TSAN_", "UBSAN_", "LLVM_"});

std::vector<std::string> passed_on_environment() {
  std::vector<std::string> environment = current_environment();
  std::erase_if(environment, [](const std::string& variable) {
    const auto begins = [&](std::string_view with) { return variable.starts_with(with); };
    return std::ranges::none_of(kPassedOn, begins) &&
           std::ranges::none_of(kPassedOnWithPrefix, begins);
  });
  return environment;
}

// What execve() wants; it does not write.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) {
    list.push_back(text.data());
  }
  list.push_back(nullptr);
  return list;
}

// How it is spawned: with this socket, and in a process group of its own, so that Ctrl-C reaches
// whoever started it, which then ends it in order. Lives for the spawn alone.
class SpawnSettings {
 public:
  explicit SpawnSettings(int socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, socket, STDOUT_FILENO);
    // Asio's sockets would stay open there, those of our clients among them.
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

Result<SessionProgram> start_session_program(const std::filesystem::path& program,
                                             const std::vector<std::string>& options) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error("a socket to hone-session", errno);
  }
  const SpawnSettings settings(ends[1]);
  std::vector<std::string> arguments = {program.string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  std::vector<std::string> environment = passed_on_environment();
  SessionProgram started;
  started.socket = ends[0];
  const int failed =
      posix_spawn(&started.process, program.c_str(), settings.actions(), settings.attributes(),
                  pointers(arguments).data(), pointers(environment).data());
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    return failed == ENOENT ? fail(ErrorCode::not_found, "no program " + program.string())
                            : system_error("starting " + program.string(), failed);
  }
  return started;
}

int end_session_program(pid_t process) {
  constexpr int kPatienceMs = 2000;
  constexpr int kStepMs = 5;
  int status = 0;
  kill(process, SIGTERM);
  for (int waited = 0; waited < kPatienceMs; waited += kStepMs) {
    if (waitpid(process, &status, WNOHANG) != 0) {
      return status;
    }
    poll(nullptr, 0, kStepMs);
  }
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
  return status;
}

}  // namespace hone
