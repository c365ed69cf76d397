// Passes of the compiler's default pipeline that run although our pipeline replaces it.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace hone {

// Whether a pass (by its class name, as pass instrumentation names it) belongs to what the user
// asked for with other flags (profiles, sanitizers, coverage, LTO, OpenMP), rather than to -O3.
bool is_kept(llvm::StringRef pass);

}  // namespace hone
