// Runs pipelines on one module and keeps its analyses in between, as one pass manager with all of
// the passes would: a step costs its pass and no more, and ten pipelines one after the other give
// what they give as one. Not thread safe.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "common/base/result.h"

namespace hone {

class PassRunner {
 public:
  // Both must outlive the runner; the module must be changed by it alone.
  PassRunner(llvm::Module& module, llvm::TargetMachine& machine);
  ~PassRunner();
  PassRunner(const PassRunner&) = delete;
  PassRunner& operator=(const PassRunner&) = delete;

  // Whether some pass says that it changed something (some say so without). invalid_argument with
  // LLVM's reason for a text that is no pipeline; nothing was run then. Passes that LLVM aborts on
  // end the process.
  Result<bool> run(const std::string& pipeline);

 private:
  struct Analyses;
  llvm::Module& module_;
  std::unique_ptr<Analyses> analyses_;
};

}  // namespace hone
