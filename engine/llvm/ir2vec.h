// IR2Vec's symbolic embedding of a module (VenkataKeerthy et al., ACM TACO 17(4), 2020; its
// implementation 2.1.1): each instruction is 1.0 of its opcode's vector, 0.5 of its type's and 0.2
// of each operand's; a module is the sum over the instructions that its functions can reach. Thread
// safe for distinct modules.
#pragma once

#include <vector>

#include <llvm/IR/Module.h>

#include "engine/llvm/ir2vec_vocabulary.h"

namespace hone {

// As many numbers as the vocabulary's dimension. What the vocabulary lacks counts as nothing, as
// there.
std::vector<double> ir2vec(const llvm::Module& module, const Ir2VecVocabulary& vocabulary);

}  // namespace hone
