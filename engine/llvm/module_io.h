// Modules in and out: bitcode and LLVM's text, read with every fault reported. Thread safe for
// distinct contexts.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxProgramBytes = std::size_t{256} << 20U;

// A module of bitcode (of this LLVM or an older one) or IR text, verified. Debug information that
// is broken is dropped. too_large above kMaxProgramBytes; invalid_argument with LLVM's reason and
// position for what is no module or breaks its rules.
Result<std::unique_ptr<llvm::Module>> read_module(std::string_view bytes,
                                                  llvm::LLVMContext& context);

// What a session begins with: read_module(), then strip_optnone(). The same bytes give the same
// module to the last bit, which text and the bitcode made of it need not.
Result<std::unique_ptr<llvm::Module>> load_program(std::string_view bytes,
                                                   llvm::LLVMContext& context);

// Takes away `optnone`, which clang puts on every function at -O0 and for which no pass does
// anything, as CompilerGym does. Returns how many functions had it.
std::size_t strip_optnone(llvm::Module& module);

std::string bitcode_of(const llvm::Module& module);
std::string ir_text_of(const llvm::Module& module);

// What is wrong with the module; empty if nothing is.
std::string broken_rules(const llvm::Module& module);
// The same of one function's body.
std::string broken_rules(const llvm::Function& function);

}  // namespace hone
