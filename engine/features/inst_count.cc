#include "engine/features/inst_count.h"

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

namespace hone {
namespace {

constexpr std::size_t kTotalInsts = 0;
constexpr std::size_t kTotalBlocks = 1;
constexpr std::size_t kTotalFuncs = 2;
// Opcodes start at 1.
constexpr std::size_t kFirstOpcode = 3;

static_assert(llvm::Instruction::OtherOpsEnd - 1 == kInstCountSize - kFirstOpcode,
              "this LLVM has other opcodes than CompilerGym's vector has places for");

void add(const llvm::Function& function, InstCount& counts) {
  ++counts[kTotalFuncs];
  for (const llvm::BasicBlock& block : function) {
    ++counts[kTotalBlocks];
    for (const llvm::Instruction& instruction : block) {
      ++counts[kTotalInsts];
      ++counts[kFirstOpcode + instruction.getOpcode() - 1];
    }
  }
}

}  // namespace

const std::array<std::string_view, kInstCountSize> kInstCountNames = {
    "TotalInsts",
    "TotalBlocks",
    "TotalFuncs",
#define HANDLE_INST(NUMBER, OPCODE, CLASS) #OPCODE,
#include <llvm/IR/Instruction.def>
};

InstCount inst_count(const llvm::Module& module) {
  InstCount counts{};
  for (const llvm::Function& function : module) {
    add(function, counts);
  }
  return counts;
}

InstCount inst_count(const llvm::Function& function) {
  InstCount counts{};
  add(function, counts);
  return counts;
}

std::array<double, kInstCountNormSize> inst_count_norm(const InstCount& counts) {
  std::array<double, kInstCountNormSize> norm{};
  if (counts[kTotalInsts] > 0) {
    for (std::size_t i = 0; i < norm.size(); ++i) {
      norm[i] = static_cast<double>(counts[i + 1]) / static_cast<double>(counts[kTotalInsts]);
    }
  }
  return norm;
}

}  // namespace hone
