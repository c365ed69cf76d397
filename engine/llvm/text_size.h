// The size of a module's machine code. Thread safe for distinct contexts.
#pragma once

#include <cstdint>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "common/base/result.h"

namespace hone {

// Bytes of all executable sections of the object file that the module compiles to: CompilerGym's
// ObjectTextSizeBytes. The module is compiled from a copy, since code generation changes it.
// unsupported if the target writes no objects; internal with LLVM's reason.
Result<std::int64_t> object_text_bytes(const llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace hone
