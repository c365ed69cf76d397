// What the end of a tuned compile means, from its exit code and its messages. Thread safe.
#pragma once

#include <string_view>

#include "build_integration/launcher/reason.h"
#include "build_integration/launcher/tuned_compile.h"

namespace hone {

// Reason::none if the object is as wanted, else one of coroutines, diagnostics, compile_error,
// crashed, timed_out, load_failed, rejected. `text` is what the compile wrote to standard error;
// `compiler_family` says whose warnings these are ("clang", "gcc").
Reason judge(const TunedEnd& end, std::string_view text, std::string_view compiler_family);

}  // namespace hone
