// How a session's process ended. Plain values.
#pragma once

#include <string>

#include "common/base/error.h"

namespace hone {

struct ProcessEnd {
  int signal = 0;  // 0: it exited
  int exit_code = 0;
  std::string errors;  // the end of what it wrote on standard error
  // "killed by signal 6 (Aborted): LLVM ERROR: ..."
  std::string describe() const;
  bool out_of_memory() const;
  // Whether the compiler broke down over what it was given (a stack that overflowed, an assertion),
  // and nobody killed it.
  bool crashed() const;
  // What who sent the program is told of an end that came of it, as one of `what` ("parsing the
  // program"): too_large where memory ran out, invalid_argument for a crash, internal for anything
  // else.
  Error error_of(const std::string& what) const;
};

}  // namespace hone
