// Runs the command that hone-link was given, untouched. One per process.
#pragma once

namespace hone {

// Replaces this process by the command (ended by a null pointer). Returns only if that fails: 127
// if there is no such program, 126 if it cannot be run, with a message.
int exec_command(char* const* command);

// Runs it in a child with our files, environment and signal settings, passing on the signals that
// end a build. Returns its exit code, or ends this process by the signal that ended the child.
int run_command(char* const* command);

}  // namespace hone
