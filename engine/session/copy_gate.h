// Where the kernel asks whether a session's process may be copied. A process that was locked down
// makes none by itself (lock_down.h): the call waits until it is answered here. A process and its
// copies have one gate. Not thread safe.
#pragma once

#include <sys/types.h>

#include "engine/session/channel.h"

namespace hone {

class CopyGate {
 public:
  // The listener that lock_down() returned.
  explicit CopyGate(Descriptor listener) : listener_(std::move(listener)) {}

  // For poll(): there is something to read if a process waits.
  int listener() const { return listener_.get(); }

  // Never waits. Lets `process` make one copy if it is among those that wait, and says whether it
  // was: not twice then. All others are refused with EPERM.
  bool let_through(pid_t process) const;

 private:
  Descriptor listener_;
};

}  // namespace hone
