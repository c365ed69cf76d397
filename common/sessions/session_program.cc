#include "common/sessions/session_program.h"

#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace hone {
namespace {

// Lives for the spawn alone.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void use(int descriptor, int as) { posix_spawn_file_actions_adddup2(&actions_, descriptor, as); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

Result<SessionProgram> start_session_program(const std::filesystem::path& program,
                                             const std::vector<std::string>& options) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error("a socket to hone-session", errno);
  }
  FileActions actions;
  actions.use(ends[1], STDIN_FILENO);
  actions.use(ends[1], STDOUT_FILENO);
  std::vector<std::string> arguments = {program.string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  SessionProgram started;
  started.socket = ends[0];
  const int failed = posix_spawn(&started.process, program.c_str(), actions.get(), nullptr,
                                 pointers.data(), environ);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    return failed == ENOENT ? fail(ErrorCode::not_found, "no program " + program.string())
                            : system_error("starting " + program.string(), failed);
  }
  return started;
}

}  // namespace hone
