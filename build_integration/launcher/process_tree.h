// A process and what it has started, as /proc shows it. Thread safe.
//
// What has put itself into a session of its own (a daemon) does not belong to it, nor does what is
// below that. A process that ends or starts meanwhile may be missed.
#pragma once

#include <sys/types.h>

#include <vector>

namespace hone {

struct ProcessTree {
  std::vector<pid_t> processes;  // the first is the root; always at least that
  double cpu_seconds = 0;        // user + system, of these and of those they have waited for
};

ProcessTree look_at_processes(pid_t root);

// Sends the signal to each of them.
void signal_processes(const ProcessTree& tree, int signal);

}  // namespace hone
