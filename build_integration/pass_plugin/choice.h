// A choice made inside the compile: the module's numbers are counted at the start of the pipeline,
// the tree of the text picks a member, and that member's pipeline and knobs are what the module is
// compiled with. One PassBuilder's callbacks share a Progress, see replacement.h.
#pragma once

#include <memory>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

#include "build_integration/pass_plugin/replacement.h"

namespace hone {

// A required pass that makes the choice of `text` and carries it out. Refuses a text that is none,
// or another compiler's. Where the first member is chosen, the default pipeline runs as if the
// plugin were not there; so it does, whatever the tree says, in a module with coroutines or with a
// function that is not to be optimised (optnone), and where the command itself sets a knob of the
// chosen member. Any other member leaves a line "hone choice
// MEMBER/MEMBERS HASH" in the object's .comment, beside the compiler's own.
void add_choice(llvm::PassBuilder& builder, llvm::StringRef text,
                const std::shared_ptr<Progress>& progress, llvm::ModulePassManager& manager);

}  // namespace hone
