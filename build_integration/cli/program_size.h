// The size of the program that a command begins with. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/target_spec.h"

namespace hone {

// As the metric, text_bytes or binary_bytes, has it; the program is looked up as a run with these
// variables ("NAME=value", beyond our PATH) would. invalid_argument if it is not there or no ELF
// file: a script's size says nothing of the programs that it runs.
Result<double> program_size(const Arguments& command, const std::vector<std::string>& environment,
                            Metric metric);

}  // namespace hone
