#include "engine/features/autophase.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace hone {
namespace {

// In the order of the vector.
// clang-format off
#define HONE_AUTOPHASE_FEATURES(X)                                                                \
  X(BBNumArgsHi) X(BBNumArgsLo) X(onePred) X(onePredOneSuc) X(onePredTwoSuc) X(oneSuccessor)      \
  X(twoPred) X(twoPredOneSuc) X(twoEach) X(twoSuccessor) X(morePreds) X(BB03Phi) X(BBHiPhi)       \
  X(BBNoPhi) X(BeginPhi) X(BranchCount) X(returnInt) X(CriticalCount) X(NumEdges) X(const32Bit)   \
  X(const64Bit) X(numConstZeroes) X(numConstOnes) X(UncondBranches) X(binaryConstArg)             \
  X(NumAShrInst) X(NumAddInst) X(NumAllocaInst) X(NumAndInst) X(BlockMid) X(BlockLow)             \
  X(NumBitCastInst) X(NumBrInst) X(NumCallInst) X(NumGetElementPtrInst) X(NumICmpInst)            \
  X(NumLShrInst) X(NumLoadInst) X(NumMulInst) X(NumOrInst) X(NumPHIInst) X(NumRetInst)            \
  X(NumSExtInst) X(NumSelectInst) X(NumShlInst) X(NumStoreInst) X(NumSubInst) X(NumTruncInst)     \
  X(NumXorInst) X(NumZExtInst) X(TotalBlocks) X(TotalInsts) X(TotalMemInst) X(TotalFuncs)         \
  X(ArgsPhi) X(testUnary)
// clang-format on

#define HONE_ENUMERATOR(name) name,
enum Feature : std::size_t { HONE_AUTOPHASE_FEATURES(HONE_ENUMERATOR) kFeatures };
#undef HONE_ENUMERATOR
static_assert(kFeatures == kAutophaseSize);

constexpr unsigned kBlockMidFrom = 15;
constexpr unsigned kBlockMidTo = 500;
constexpr unsigned kFewPhis = 3;
constexpr unsigned kFewPhiArguments = 5;

// The feature that counts an opcode by itself, or kFeatures.
Feature opcode_feature(unsigned opcode) {
  using llvm::Instruction;
  switch (opcode) {
    case Instruction::AShr:
      return NumAShrInst;
    case Instruction::Add:
      return NumAddInst;
    case Instruction::Alloca:
      return NumAllocaInst;
    case Instruction::And:
      return NumAndInst;
    case Instruction::BitCast:
      return NumBitCastInst;
    case Instruction::Br:
      return NumBrInst;
    case Instruction::Call:
      return NumCallInst;
    case Instruction::GetElementPtr:
      return NumGetElementPtrInst;
    case Instruction::ICmp:
      return NumICmpInst;
    case Instruction::LShr:
      return NumLShrInst;
    case Instruction::Load:
      return NumLoadInst;
    case Instruction::Mul:
      return NumMulInst;
    case Instruction::Or:
      return NumOrInst;
    case Instruction::PHI:
      return NumPHIInst;
    case Instruction::Ret:
      return NumRetInst;
    case Instruction::SExt:
      return NumSExtInst;
    case Instruction::Select:
      return NumSelectInst;
    case Instruction::Shl:
      return NumShlInst;
    case Instruction::Store:
      return NumStoreInst;
    case Instruction::Sub:
      return NumSubInst;
    case Instruction::Trunc:
      return NumTruncInst;
    case Instruction::Xor:
      return NumXorInst;
    case Instruction::ZExt:
      return NumZExtInst;
    default:
      return kFeatures;
  }
}

class Counter {
 public:
  void function(const llvm::Function& function) {
    ++counts_[TotalFuncs];
    for (const llvm::BasicBlock& block : function) {
      edges(block);
      instructions(block);
    }
  }
  const Autophase& counts() const { return counts_; }

 private:
  void edges(const llvm::BasicBlock& block) {
    ++counts_[TotalBlocks];
    const llvm::Instruction* const end = block.getTerminator();
    const unsigned successors = end->getNumSuccessors();
    counts_[NumEdges] += successors;
    for (unsigned i = 0; i < successors; ++i) {
      counts_[CriticalCount] += llvm::isCriticalEdge(end, i) ? 1 : 0;
    }
    const auto predecessors = llvm::pred_size(&block);
    counts_[oneSuccessor] += successors == 1 ? 1 : 0;
    counts_[twoSuccessor] += successors == 2 ? 1 : 0;
    counts_[onePred] += predecessors == 1 ? 1 : 0;
    counts_[twoPred] += predecessors == 2 ? 1 : 0;
    counts_[morePreds] += predecessors > 2 ? 1 : 0;
    counts_[onePredOneSuc] += predecessors == 1 && successors == 1 ? 1 : 0;
    counts_[onePredTwoSuc] += predecessors == 1 && successors == 2 ? 1 : 0;
    counts_[twoPredOneSuc] += predecessors == 2 && successors == 1 ? 1 : 0;
    counts_[twoEach] += predecessors == 2 && successors == 2 ? 1 : 0;
  }

  void instructions(const llvm::BasicBlock& block) {
    unsigned size = 0;
    unsigned phis = 0;
    unsigned phi_arguments = 0;
    for (const llvm::Instruction& instruction : block) {
      if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
        counts_[BeginPhi] += size == 0 ? 1 : 0;
        ++phis;
        phi_arguments += phi->getNumIncomingValues();
      }
      ++size;
      count(instruction);
    }
    counts_[TotalInsts] += size;
    counts_[ArgsPhi] += phi_arguments;
    ++counts_[phis == 0 ? BBNoPhi : phis <= kFewPhis ? BB03Phi : BBHiPhi];
    if (phi_arguments > 0) {
      ++counts_[phi_arguments > kFewPhiArguments ? BBNumArgsHi : BBNumArgsLo];
    }
    if (size <= kBlockMidTo) {
      ++counts_[size < kBlockMidFrom ? BlockLow : BlockMid];
    }
  }

  void count(const llvm::Instruction& instruction) {
    if (const Feature feature = opcode_feature(instruction.getOpcode()); feature != kFeatures) {
      ++counts_[feature];
    }
    if (const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
      ++counts_[BranchCount];
      counts_[UncondBranches] += branch->isUnconditional() ? 1 : 0;
    }
    if (const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      const llvm::Function* const callee = call->getCalledFunction();
      counts_[returnInt] += callee != nullptr && callee->getReturnType()->isIntegerTy() ? 1 : 0;
    }
    if (llvm::isa<llvm::GetElementPtrInst, llvm::LoadInst, llvm::StoreInst, llvm::CallInst,
                  llvm::InvokeInst, llvm::AllocaInst>(instruction)) {
      ++counts_[TotalMemInst];
    }
    counts_[testUnary] += llvm::isa<llvm::UnaryInstruction>(instruction) ? 1 : 0;
    if (llvm::isa<llvm::BinaryOperator>(instruction)) {
      const bool constant = llvm::isa<llvm::Constant>(instruction.getOperand(0)) ||
                            llvm::isa<llvm::Constant>(instruction.getOperand(1));
      counts_[binaryConstArg] += constant ? 1 : 0;
    }
    for (const llvm::Use& operand : instruction.operands()) {
      if (const auto* const constant = llvm::dyn_cast<llvm::ConstantInt>(operand)) {
        count(*constant);
      }
    }
  }

  void count(const llvm::ConstantInt& constant) {
    counts_[const32Bit] += constant.getBitWidth() == 32 ? 1 : 0;
    counts_[const64Bit] += constant.getBitWidth() == 64 ? 1 : 0;
    counts_[numConstOnes] += constant.isOne() ? 1 : 0;
    counts_[numConstZeroes] += constant.isZero() ? 1 : 0;
  }

  Autophase counts_{};
};

}  // namespace

const std::array<std::string_view, kAutophaseSize> kAutophaseNames = {
#define HONE_NAME(name) #name,
    HONE_AUTOPHASE_FEATURES(HONE_NAME)
#undef HONE_NAME
};

Autophase autophase(const llvm::Module& module) {
  Counter counter;
  for (const llvm::Function& function : module) {
    counter.function(function);
  }
  return counter.counts();
}

Autophase autophase(const llvm::Function& function) {
  Counter counter;
  counter.function(function);
  return counter.counts();
}

}  // namespace hone
