#include "build_integration/launcher/held_signal.h"

#include <cerrno>
#include <ctime>

namespace hone {

HeldSignal::HeldSignal(int signal) {
  sigset_t pending;
  ::sigpending(&pending);
  was_pending_ = ::sigismember(&pending, signal) == 1;
  ::sigemptyset(&held_);
  ::sigaddset(&held_, signal);
  ::pthread_sigmask(SIG_BLOCK, &held_, &old_mask_);
}

HeldSignal::~HeldSignal() {
  const int saved = errno;
  const timespec now{};
  while (!was_pending_ && ::sigtimedwait(&held_, nullptr, &now) < 0 && errno == EINTR) {
  }
  ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  errno = saved;
}

}  // namespace hone
