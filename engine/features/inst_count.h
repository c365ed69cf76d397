// How many instructions of each kind a module has: the 70 numbers of CompilerGym's InstCount.
//
// Three totals, then one count for each opcode of llvm/IR/Instruction.def in its order, which is
// the same from LLVM 10, CompilerGym's, to 19. TotalFuncs counts declarations too, as CompilerGym
// does, though its documentation says otherwise (00cd50f,
// compiler_gym/third_party/llvm/InstCount.cc). Thread safe for distinct modules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace hone {

inline constexpr std::size_t kInstCountSize = 70;
using InstCount = std::array<std::int64_t, kInstCountSize>;

// The names, in the order of the numbers: TotalInsts, TotalBlocks, TotalFuncs, Ret, Br ...
extern const std::array<std::string_view, kInstCountSize> kInstCountNames;

InstCount inst_count(const llvm::Module& module);
// What a function adds: a module's numbers are the sums over its functions, declarations too.
InstCount inst_count(const llvm::Function& function);

// CompilerGym's InstCountNorm: without TotalInsts, the other 69 divided by it. Zeros for a module
// without instructions.
inline constexpr std::size_t kInstCountNormSize = kInstCountSize - 1;
std::array<double, kInstCountNormSize> inst_count_norm(const InstCount& counts);

}  // namespace hone
