// What a log of evaluations is about: one cost of one program as it is now, with the tools as they
// are. A program that was changed, or another LLVM, is another subject. Thread safe.
#pragma once

#include <string>
#include <string_view>

#include "build_integration/programs/program.h"
#include "common/base/result.h"

namespace hone {

// Errors of reading the program's file.
Result<std::string> evaluation_subject(std::string_view cost, const Program& program);

}  // namespace hone
