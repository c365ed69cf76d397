// Runs pipelines on one module and keeps its analyses in between, as one pass manager with all of
// the passes would: a step costs its pass and no more, and ten pipelines one after the other give
// what they give as one. Not thread safe.
#pragma once

#include <memory>
#include <set>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "common/base/result.h"

namespace hone {

// What passes say that they changed.
struct ModuleChanges {
  bool whole = false;  // some pass changed more than functions one by one
  // Else these alone, by function and loop passes; none of them is gone.
  std::set<llvm::Function*> functions;

  bool any() const { return whole || !functions.empty(); }
  void add(const ModuleChanges& others);
};

class PassRunner {
 public:
  // Both must outlive the runner; the module must be changed by it alone.
  PassRunner(llvm::Module& module, llvm::TargetMachine& machine);
  ~PassRunner();
  PassRunner(const PassRunner&) = delete;
  PassRunner& operator=(const PassRunner&) = delete;

  // What its passes say that they changed (some say so without). invalid_argument with LLVM's
  // reason for a text that is no pipeline; nothing was run then. Passes that LLVM aborts on end the
  // process.
  Result<ModuleChanges> run(const std::string& pipeline);

 private:
  struct Analyses;
  llvm::Module& module_;
  ModuleChanges changes_;  // of the pipeline that runs
  std::unique_ptr<Analyses> analyses_;
};

}  // namespace hone
