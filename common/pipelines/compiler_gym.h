// CompilerGym's 124 actions by the names its users know, as pipelines of a current LLVM.
//
// Source: CompilerGym 00cd50f, the flags of LLVM 10's legacy pass manager, in the order of its
// action space. 107 kept their name in LLVM 19, 13 have another, 4 are gone. Constant data. Thread
// safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/pipelines/action_table.h"

namespace hone {

inline constexpr std::size_t kCompilerGymActions = 124;

struct CompilerGymAction {
  std::string_view flag;                  // "loop-unswitch"; CompilerGym writes it "-loop-unswitch"
  std::string_view pass;                  // LLVM 19's name with parameters; empty if it has none
  PassLevel level = PassLevel::function;  // of the pass
  std::string_view remark;                // why it has none, or is another: for people
};

// In CompilerGym's order: the index is the action's number there.
std::span<const CompilerGymAction> compiler_gym_actions();

struct CompilerGymPipeline {
  std::string pipeline;  // empty: the action does nothing
  std::string remark;    // for people: renamed, the closest there is, or why it does nothing
};

// What an action, named with or without the dash, is in LLVM 19. not_found for no such action;
// unsupported for one that we exclude, with the reason.
Result<CompilerGymPipeline> compiler_gym_pipeline(std::string_view flag);

}  // namespace hone
