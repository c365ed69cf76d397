// Starts hone-session, spoken to by one socket that is its standard input and output. Thread safe.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct SessionProgram {
  pid_t process = -1;
  int socket = -1;  // the caller's to close; the program ends when it is closed
};

// not_found if there is no such program; io_failed.
Result<SessionProgram> start_session_program(const std::filesystem::path& program,
                                             const std::vector<std::string>& options);

// Ends it and waits: it is asked to, so that it takes its files with it, and killed if it has not
// gone after two seconds. Returns what waitpid(2) said.
int end_session_program(pid_t process);

}  // namespace hone
