// A module as a graph in the manner of ProGraML (Cummins et al., ICML 2021), as networkx's
// node-link JSON that its users load: directed, with several edges between two nodes.
//
// Node 0 is "[external]". Then, function by function: a node of type 0 for each instruction, whose
// text is its opcode; of type 1 for each value that an instruction or argument gives and somebody
// uses, whose text is its type; of type 2 for each constant of a function, likewise. Edges of flow
// 0 are control (position: which successor), 1 data (position: which operand; 0 from an instruction
// to its value), 2 calls: from a call to the first instruction of what it calls and from that
// function's returns back, from 0 to each function that may be called from elsewhere and back. A
// function that is only declared is one node of type 0, "; undefined function". Operands that are
// blocks, metadata or inline assembly have no edge. Nodes carry `function` and `block`, counted
// over the module from 0, and the text as LLVM prints it in features.full_text. Thread safe for
// distinct modules.
#pragma once

#include <cstddef>
#include <string>

#include <llvm/IR/Module.h>

#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxGraphNodes = 2'000'000;

// too_large past kMaxGraphNodes.
Result<std::string> program_graph(const llvm::Module& module);

}  // namespace hone
