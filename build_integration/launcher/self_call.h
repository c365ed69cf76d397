// Against a launcher that calls itself for ever: a script with the compiler's name, first in PATH,
// that says `hone-cc clang++ "$@"`, would be what the launcher finds and runs.
//
// Programs that were found in PATH and are no compilers are noted, by device and inode, in the
// environment of what is run (HONE_CALLING; a compiler's environment stays as it was, and so does
// that of a program named by its path). Whoever comes up a third time is passed over for the next
// of that name in PATH: a second time may be what the script means, with a guard of its own.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

// Which program to run for `name`: "" for the one that execvp finds. Changes the environment of
// this process; call it once, before anything is run. unavailable if there is none but those that
// have come up again and again.
Result<std::string> program_to_call(std::string_view name);

}  // namespace hone
