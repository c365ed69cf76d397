// Ctrl-C and SIGTERM as a stop token.
#pragma once

#include <stop_token>

namespace hone {

// The status that a program ends with when it is told a second time.
inline constexpr int kInterruptedExit = 130;

// From now on SIGINT, SIGTERM and (but under nohup) SIGHUP ask the returned token to stop instead
// of ending the program; a second one ends it at once with status 130. Call once, before other
// threads start: the signals are blocked in this thread and those it starts. Children must unblock
// them (unblock_interrupts).
std::stop_token stop_on_interrupt();

// Restores the default signal mask and actions, but not what nohup ignores; for a child between
// fork and exec.
void unblock_interrupts();

}  // namespace hone
