// The 56 features of Autophase (Haj-Ali et al., MLSys 2020), value for value as CompilerGym counts
// them (00cd50f, compiler_gym/third_party/autophase/InstCount.cc).
//
// What the names do not say: BBNumArgs counts blocks by the number of incoming values of all their
// phis together, Lo 1 to 5, Hi more; BB03Phi blocks with 1 to 3 phis; BeginPhi those whose first
// instruction is one. BlockLow has fewer than 15 instructions, BlockMid 15 to 500. Predecessors are
// counted by edge, so that a switch with two cases for one block gives it two. const32Bit and its
// like count operands. returnInt counts direct calls (no invokes) of functions that return an
// integer. TotalMemInst is GEP, load, store, call, invoke and alloca together. TotalFuncs has
// declarations too. testUnary counts what isa<UnaryInstruction> says: loads, casts, alloca,
// extractvalue, va_arg and fneg, but not freeze. Thread safe for distinct modules.
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

inline constexpr std::size_t kAutophaseSize = 56;
using Autophase = std::array<std::int64_t, kAutophaseSize>;

// The names, in the order of the numbers.
extern const std::array<std::string_view, kAutophaseSize> kAutophaseNames;

Autophase autophase(const llvm::Module& module);
// What a function adds: a module's numbers are the sums over its functions, declarations too.
Autophase autophase(const llvm::Function& function);

}  // namespace hone
