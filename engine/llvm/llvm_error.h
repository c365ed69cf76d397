// LLVM's ways of failing, as ours: nothing may throw through LLVM's frames. Thread safe.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/Error.h>

#include "common/base/result.h"

namespace hone {

// Consumes the error.
Error from_llvm(ErrorCode code, std::string_view what, llvm::Error error);

// LLVM's default is to print a diagnostic and, if it is an error, to end the process. After this
// the context keeps the first error's text in `first_error`, which must live as long as it, and
// drops the rest.
void keep_diagnostics(llvm::LLVMContext& context, std::string& first_error);

}  // namespace hone
