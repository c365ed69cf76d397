// Carries a choice out: replaces this process by the plain command, or compiles tuned and falls
// back. One per process.
#pragma once

#include "build_integration/launcher/choice.h"
#include "build_integration/launcher/settings.h"
#include "build_integration/launcher/state_folder.h"

namespace hone {

// Replaces this process by `arguments` (ended by a null pointer), as they are. Returns only if that
// fails: 127 if there is no such program, 126 if it cannot be run, with a message.
int exec_plain(char* const* arguments);

// Compiles as chosen; the exit code, if this process still exists. What each end leads to:
//
//   end of the tuned compile          HONE_ON_FAILURE=plain          HONE_ON_FAILURE=error
//   succeeded                         its messages, exit 0           the same
//   coroutines, optimiser warnings,   remembered; plain command      the same
//     no object (a question)
//   output not held or passed on      plain command                  the same
//   errors (exit 1, not ours)         plain command                  the same
//   crashed, CPU limit, plugin not    counted; plain command         message, exit 70, no object
//     loaded, decision not accepted
//
// Errors need no further thought in either mode: whose they are is shown by the plain command,
// which is run anyway so that the user sees exactly its messages. If it succeeds, the errors came
// from our pipeline (a warning made an error, a call that was not optimised away), the object is a
// plain one, and the record says so.
int launch(const Settings& settings, const StateFolder& state, const Choice& choice,
           char* const* plain_command);

}  // namespace hone
