// What a session's process gives up before it reads a program that it does not trust. Not thread
// safe.
#pragma once

#include "common/base/result.h"

namespace hone {

// From now on, for this process and its copies: no program is started, no file opened, made, moved
// or removed, no socket made, no other process looked into or signalled; what is open stays. Such a
// call fails with EPERM. unavailable if the kernel has no seccomp filters.
Result<void> lock_down();

}  // namespace hone
