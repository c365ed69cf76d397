#include "engine/session/process_end.h"

#include <csignal>
#include <cstring>

#include "common/base/result.h"

namespace hone {

std::string ProcessEnd::describe() const {
  std::string text =
      signal != 0 ? "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"
                  : "exit code " + std::to_string(exit_code);
  return errors.empty() ? text : text + ": " + errors;
}

bool ProcessEnd::out_of_memory() const {
  return errors.find("out of memory") != std::string::npos ||
         errors.find("bad_alloc") != std::string::npos;
}

bool ProcessEnd::crashed() const {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT:
    case SIGTRAP:
      return true;
    default:
      return false;
  }
}

Error ProcessEnd::error_of(const std::string& what) const {
  if (out_of_memory()) {
    return fail(ErrorCode::too_large,
                what + " took more memory than a session may have: " + describe());
  }
  if (crashed()) {
    return fail(ErrorCode::invalid_argument,
                what + " made LLVM crash, so that it cannot be worked on: " + describe());
  }
  return fail(ErrorCode::internal,
              what + " ended the session's process, which was replaced: " + describe());
}

}  // namespace hone
