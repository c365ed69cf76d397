#include "engine/llvm/function_properties.h"

#include <algorithm>

#include <llvm/Analysis/FunctionPropertiesAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

namespace hone {

const std::array<std::string_view, kFunctionPropertiesSize> kFunctionPropertiesNames = {
    "BasicBlockCount",
    "BlocksReachedFromConditionalInstruction",
    "Uses",
    "DirectCallsToDefinedFunctions",
    "LoadInstCount",
    "StoreInstCount",
    "MaxLoopDepth",
    "TopLevelLoopCount",
    "TotalInstructionCount"};

FunctionProperties function_properties(llvm::Module& module) {
  FunctionProperties all{};
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    // Of its own, not the session's: looking must not change what passes find computed.
    const llvm::DominatorTree tree(function);
    const llvm::LoopInfo loops(tree);
    const auto one = llvm::FunctionPropertiesInfo::getFunctionPropertiesInfo(function, tree, loops);
    const FunctionProperties values = {one.BasicBlockCount,
                                       one.BlocksReachedFromConditionalInstruction,
                                       one.Uses,
                                       one.DirectCallsToDefinedFunctions,
                                       one.LoadInstCount,
                                       one.StoreInstCount,
                                       one.MaxLoopDepth,
                                       one.TopLevelLoopCount,
                                       one.TotalInstructionCount};
    constexpr std::size_t kMaxLoopDepth = 6;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = i == kMaxLoopDepth ? std::max(all[i], values[i]) : all[i] + values[i];
    }
  }
  return all;
}

}  // namespace hone
