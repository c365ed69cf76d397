// Our pipeline in place of the default one: what has happened so far in the compile of one module,
// the pass that runs ours, and which passes of the default pipeline still run. One PassBuilder's
// callbacks share a Progress; not thread safe, as a PassBuilder is not.
#pragma once

#include <memory>

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

namespace hone {

enum class Stage {
  before,        // every pass of the default pipeline runs
  profile_read,  // the default pipeline has read the profile; ours is next
  running,       // ours runs, every pass of it
  replaced,      // ours has run
};

struct Progress {
  Stage stage = Stage::before;
  bool after_profile = false;  // ours begins when the default pipeline has read a profile of the IR
  bool parsing = false;        // default<...> in a text of ours calls the extension points again
  bool warns_itself = false;   // ours reports missed transformations, the default need not
  bool remove_externally_available = false;  // the default pipeline would have, before ours
};

// Ends the compile with exit code 70 and the line "hone-pass: MESSAGE", by LLVM's own way to die:
// it removes temporary files and half-written outputs.
[[noreturn]] void refuse(const llvm::Twine& message);

// Whether an optional pass of the default pipeline runs, by its class name. Notes that the profile
// has been read.
bool runs_in_default_pipeline(Progress& progress, llvm::StringRef pass);

// The first coroutine that is still to be split, or nullptr.
const llvm::Function* find_presplit_coroutine(const llvm::Module& module);

// A required pass that runs `pipeline`, splits coroutines around it (LLVM 15 and later) and removes
// what is available elsewhere. Refuses a text that does not parse.
void add_replacement(llvm::PassBuilder& builder, llvm::StringRef pipeline,
                     const std::shared_ptr<Progress>& progress, llvm::ModulePassManager& manager);

}  // namespace hone
