// Which options that a command hands to the parts inside clang mean that it must not be tuned.
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

}  // namespace hone
