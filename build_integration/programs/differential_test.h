// Whether an optimised program still does what the unoptimised one does: both are linked and run on
// the same inputs under limits, and what they print and how they end is compared. Not thread safe.
#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

#include "build_integration/programs/program.h"
#include "common/base/result.h"
#include "common/sessions/validation_result.h"

namespace hone {

struct SemanticsCheck {
  bool validated = false;  // at least one run was compared
  bool failed = false;     // at least one differs, or the program can not be linked
  // By CompilerGym's types: Compilation failed, Compilation timeout, Execution timeout,
  // Segmentation fault, Illegal Instruction, Runtime error (N), Wrong output; "Gold standard: ..."
  // for what the unoptimised program does, which fails the check only if it is known to run.
  std::vector<ValidationError> errors;
};

// `optimised` is bitcode. A program without runs is not validated. Errors: of the tools' being
// there, io_failed, cancelled.
Result<SemanticsCheck> differential_test(const Program& program,
                                         const std::filesystem::path& optimised,
                                         const std::stop_token& stop = {});

}  // namespace hone
