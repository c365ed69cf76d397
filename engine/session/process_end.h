// How a session's process ended. Plain values.
#pragma once

#include <string>

namespace hone {

struct ProcessEnd {
  int signal = 0;  // 0: it exited
  int exit_code = 0;
  std::string errors;  // the end of what it wrote on standard error
  // "killed by signal 6 (Aborted): LLVM ERROR: ..."
  std::string describe() const;
  bool out_of_memory() const;
};

}  // namespace hone
