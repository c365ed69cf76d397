// What a session's process gives up before it reads a program that it does not trust. Not thread
// safe.
#pragma once

#include <sched.h>

#include "common/base/result.h"
#include "engine/session/channel.h"

namespace hone {

// A copy of a process is this call of clone() with these flags and nothing else. Its parent is the
// server's, so that no process is whose end the server does not learn.
inline constexpr unsigned kCopyFlags = CLONE_PARENT | CLONE_PIDFD;

// From now on, for this process and its copies: no program is started, no process or thread made,
// no process group left, no file opened, made, moved, changed or removed, no socket and nothing of
// System V's made, no other process looked into or signalled, no right kept that root has and
// others do not; what is open stays. Such a call fails with EPERM. clone() with kCopyFlags waits
// until whoever holds the listener that is returned lets it through (copy_gate.h), and fails where
// nobody holds it. Where the kernel has no such listeners (before Linux 5.5, or if who runs us
// listens already) none is returned, and it is refused like every other. This process must have one
// thread. unavailable if the kernel has no seccomp filters.
Result<Descriptor> lock_down();

}  // namespace hone
