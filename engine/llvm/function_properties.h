// LLVM's own description of functions (llvm/Analysis/FunctionPropertiesAnalysis.h, LLVM 19), which
// its machine-learned inliner works with, over all functions of a module. Thread safe for distinct
// modules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <llvm/IR/Module.h>

namespace hone {

inline constexpr std::size_t kFunctionPropertiesSize = 9;
using FunctionProperties = std::array<std::int64_t, kFunctionPropertiesSize>;

// LLVM's names, in the order of the numbers.
extern const std::array<std::string_view, kFunctionPropertiesSize> kFunctionPropertiesNames;

// Sums over the functions that have a body; of MaxLoopDepth the largest.
FunctionProperties function_properties(llvm::Module& module);

}  // namespace hone
