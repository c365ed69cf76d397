#include "engine/session/process_end.h"

#include <cstring>

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

}  // namespace hone
