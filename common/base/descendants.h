// The end of everything a process has started, however it hid. For the guardian of a subprocess,
// between fork and exit: async-signal-safe, one thread, no allocation.
#pragma once

#include <sys/types.h>

namespace hone {

// Kills every remaining descendant of the calling process and reaps it, the process group `group`
// first. A process that left the group or the session is found by its chain of parents; one whose
// parent died is the caller's child, which must be a child subreaper (prctl). So "until no child is
// left" is complete.
void kill_descendants(pid_t group);

}  // namespace hone
