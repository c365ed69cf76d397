// Which options that a command hands to the parts inside a compiler mean that it must not be tuned.
// Thread safe.
#pragma once

#include <string_view>

#include "build_integration/launcher/reason.h"

namespace hone {

// For the compiler proper: the value of -Xclang.
Reason refusal_of_frontend_option(std::string_view value);

// For LLVM: the value of -mllvm. What it is asked to tell about its passes would be told about
// ours.
Reason refusal_of_llvm_option(std::string_view value);

// For the preprocessor: one word of -Wp, or the value of -Xpreprocessor. Both compilers hand it to
// the compiler proper, which takes any option there.
Reason refusal_of_preprocessor_option(std::string_view value);

// For the assembler: one word of -Wa, or the value of -Xassembler.
Reason refusal_of_assembler_option(std::string_view value);

}  // namespace hone
