// A signal that a write of ours may bring on this thread (SIGPIPE, SIGXFSZ), held off while the
// write is done: the write then fails with an error in place of ending the launcher. It is blocked
// and taken, never ignored, so that what is executed later finds the signal as it was.
#pragma once

#include <csignal>

namespace hone {

class HeldSignal {
 public:
  explicit HeldSignal(int signal);
  // Takes the signal if it came meanwhile, and restores the mask.
  ~HeldSignal();
  HeldSignal(const HeldSignal&) = delete;
  HeldSignal& operator=(const HeldSignal&) = delete;

 private:
  sigset_t held_{};
  sigset_t old_mask_{};
  bool was_pending_ = false;  // somebody else's, from before: not ours to take
};

}  // namespace hone
