#include "common/base/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

namespace hone {
namespace {

sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  // nohup ignores it, which blocking it would undo.
  struct sigaction hangup{};
  if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
    sigaddset(&set, SIGHUP);
  }
  return set;
}

}  // namespace

std::stop_token stop_on_interrupt() {
  // Lives as long as the program: the thread below waits in sigwait until the end.
  static std::stop_source source;
  const sigset_t set = interrupts();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread([set] {
    for (bool first = true;; first = false) {
      int signal = 0;
      if (::sigwait(&set, &signal) != 0) {
        return;
      }
      if (!first) {
        ::_exit(kInterruptedExit);
      }
      source.request_stop();
    }
  }).detach();
  return source.get_token();
}

void unblock_interrupts() {
  const sigset_t set = interrupts();
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace hone
