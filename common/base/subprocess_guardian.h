// The process between us and a program: it starts the program, waits for its end, kills whatever
// outlives it, and reports. For run() in subprocess.cc alone, which forks it.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "common/base/subprocess_start.h"

namespace hone {

// What the guardian tells its owner, once the program ended or could not be started.
struct GuardianReport {
  StartFailure failure;
  int status = 0;
  rusage usage{};
};

// Is the guardian of the planned program, in a process just forked by `owner` with every signal
// blocked; async-signal-safe. SIGTERM, which the owner's death sends too, ends the program and all
// it started. Writes one GuardianReport to the plan's report_fd.
[[noreturn]] void guard(const StartPlan& plan, pid_t owner);

}  // namespace hone
