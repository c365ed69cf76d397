// The code generator that a module asks for by its triple. Thread safe; targets are initialised
// once.
#pragma once

#include <memory>
#include <string>

#include <llvm/Target/TargetMachine.h>

#include "common/base/result.h"

namespace hone {

// For the triple, or this machine's if it is empty, at -O3 with position independent code, the
// triple's generic processor (functions say by attribute what else they are for). unsupported for a
// triple that this LLVM has no code generator for: only the machine's own is initialised.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const std::string& triple);

// "LLVM 19.1.7": of the library that is there, not the one this was compiled against.
std::string llvm_version();

}  // namespace hone
