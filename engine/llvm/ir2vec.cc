#include "engine/llvm/ir2vec.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace hone {
namespace {

constexpr double kOpcodeWeight = 1;
constexpr double kTypeWeight = 0.5;
constexpr double kOperandWeight = 0.2;

std::string_view type_key(const llvm::Type& type) {
  if (type.isVoidTy()) {
    return "voidTy";
  }
  if (type.isFloatingPointTy()) {
    return "floatTy";
  }
  if (type.isIntegerTy()) {
    return "integerTy";
  }
  if (type.isFunctionTy()) {
    return "functionTy";
  }
  if (type.isStructTy()) {
    return "structTy";
  }
  if (type.isArrayTy()) {
    return "arrayTy";
  }
  if (type.isPointerTy()) {
    return "pointerTy";
  }
  if (type.isVectorTy()) {
    return "vectorTy";
  }
  if (type.isTokenTy()) {
    return "tokenTy";
  }
  return type.isMetadataTy() ? "metadataTy" : "unknownTy";
}

std::string_view operand_key(const llvm::Value& operand) {
  if (llvm::isa<llvm::Function>(operand)) {
    return "function";
  }
  if (operand.getType()->isPointerTy()) {
    return "pointer";
  }
  // Labels are variables there; its key "label" is never asked for.
  return llvm::isa<llvm::Constant>(operand) ? "constant" : "variable";
}

class Sum {
 public:
  explicit Sum(const Ir2VecVocabulary& vocabulary)
      : vocabulary_(vocabulary), values_(vocabulary.dimension(), 0.0) {}

  void add(std::string_view key, double weight) {
    if (const std::vector<double>* const vector = vocabulary_.find(key)) {
      for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i] += weight * (*vector)[i];
      }
    }
  }
  void add(const llvm::Instruction& instruction) {
    add(instruction.getOpcodeName(), kOpcodeWeight);
    add(type_key(*instruction.getType()), kTypeWeight);
    for (const llvm::Use& operand : instruction.operands()) {
      add(operand_key(*operand), kOperandWeight);
    }
  }
  std::vector<double> take() { return std::move(values_); }

 private:
  const Ir2VecVocabulary& vocabulary_;
  std::vector<double> values_;
};

}  // namespace

std::vector<double> ir2vec(const llvm::Module& module, const Ir2VecVocabulary& vocabulary) {
  Sum sum(vocabulary);
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    for (const llvm::BasicBlock* const block : llvm::depth_first(&function)) {
      for (const llvm::Instruction& instruction : *block) {
        sum.add(instruction);
      }
    }
  }
  return sum.take();
}

}  // namespace hone
