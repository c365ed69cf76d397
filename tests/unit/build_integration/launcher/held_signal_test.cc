#include "build_integration/launcher/held_signal.h"

#include <unistd.h>

#include <cerrno>

#include <gtest/gtest.h>

namespace hone {
namespace {

bool is_pending_or_blocked(int signal) {
  sigset_t pending;
  sigset_t blocked;
  ::sigpending(&pending);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return ::sigismember(&pending, signal) == 1 || ::sigismember(&blocked, signal) == 1;
}

TEST(HeldSignal, ABrokenPipeIsAnErrorAndLeavesNoTrace) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  {
    const HeldSignal held(SIGPIPE);
    EXPECT_EQ(::write(ends[1], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
  }
  EXPECT_FALSE(is_pending_or_blocked(SIGPIPE));
  struct sigaction disposition{};
  ::sigaction(SIGPIPE, nullptr, &disposition);
  EXPECT_EQ(disposition.sa_handler, SIG_DFL);
  ::close(ends[1]);
}

TEST(HeldSignal, WhatWasPendingBeforeStaysSo) {
  const HeldSignal outer(SIGPIPE);  // takes it at the end
  ::raise(SIGPIPE);
  {
    const HeldSignal inner(SIGPIPE);
  }
  EXPECT_TRUE(is_pending_or_blocked(SIGPIPE));
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 1);
}

}  // namespace
}  // namespace hone
