// The start of a subprocess: from fork to exec, in the process that becomes the program. For the
// guardian of a subprocess alone: one thread, async-signal-safe, no allocation.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/subprocess.h"

namespace hone {

// Everything the children need, prepared before fork: after it only async-signal-safe calls.
struct StartPlan {
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::string program;
  const Command* command = nullptr;
  int stdin_fd = -1;
  int stdout_fd = -1;
  int stderr_fd = -1;
  int report_fd = -1;
  std::vector<int> keep;
};

// Why a program was not started.
struct StartFailure {
  int reason = 0;      // errno; 0: it was
  bool named = false;  // it is about what the command names: the program or its working folder
};

// Becomes the program, under its limits and as its user; killed when `guardian`, its parent, dies.
// What fails is told as a StartFailure at `error_fd`, which exec closes; the exit code is then 127.
[[noreturn]] void start_program(const StartPlan& plan, int error_fd, pid_t guardian);

}  // namespace hone
