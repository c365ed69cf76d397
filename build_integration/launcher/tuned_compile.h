// Runs the tuned command as a child whose outputs are held back, and tells how it ended.
//
// The child is in our process group, with our environment, descriptors, umask and signal
// dispositions; only its outputs differ, and a compiler's limits on CPU time and core files.
// A script or a cache gets no such limits, since a daemon that it starts would keep them: there the
// CPU time of the processes below it is looked at once a second. SIGINT, SIGTERM, SIGHUP and
// SIGQUIT that reach us are passed on to the child. One at a time per process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "build_integration/launcher/held_output.h"

namespace hone {

// The exit code where the compiler could not be run.
inline constexpr int kExecFailed = 127;

struct TunedEnd {
  bool started = false;         // false: no child could be made, nothing has happened
  std::int64_t started_at = 0;  // seconds since 1970
  int wait_status = 0;          // as wait4 gives it
  double cpu_seconds = 0;       // user + system, of the child and what it waited for
  bool over_limit = false;      // the CPU limit, or the wall-clock backstop, ended it
  bool too_much = false;        // ended since it wrote more than is held
  int caught_signal = 0;        // one that was sent to us meanwhile; 0: none
};

struct TunedCommand {
  std::vector<std::string> arguments;  // [0] is looked up in PATH
  std::int64_t cpu_limit_seconds = 0;  // of each process of a compiler, else of all together
  // Whether the program is a compiler, which starts nothing but its own parts.
  bool is_compiler = false;
};

TunedEnd run_tuned(const TunedCommand& command, HeldOutputs& held);

}  // namespace hone
