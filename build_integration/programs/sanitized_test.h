// Whether the optimised program does something that sanitizers report and the unoptimised one does
// not. Not thread safe.
#pragma once

#include <filesystem>
#include <stop_token>

#include "build_integration/programs/differential_test.h"
#include "build_integration/programs/sanitized_bitcode.h"

namespace hone {

// Both sides are built with the sanitizer's checks, added to the bitcode as it is, and run on all
// of the program's inputs, five times as long as these say. A report of the optimised one alone
// fails the check, with CompilerGym's type and the report; what the unoptimised one reports says
// nothing of the passes and is told as "Gold standard: ...". Outputs are differential_test()'s to
// compare. Errors as there.
Result<SemanticsCheck> sanitized_test(const Program& program,
                                      const std::filesystem::path& optimised, Sanitizer sanitizer,
                                      const std::stop_token& stop = {});

}  // namespace hone
