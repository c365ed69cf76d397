#include "engine/llvm/pass_runner.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/TargetParser/Triple.h>

#include "engine/llvm/llvm_error.h"

namespace hone {

// Declared innermost first: managers refer to the ones above, so these are destroyed last.
struct PassRunner::Analyses {
  Analyses(const llvm::Module& module, llvm::TargetMachine& machine)
      : builder(&machine), library(llvm::Triple(module.getTargetTriple())) {
    functions.registerPass([this] { return llvm::TargetLibraryAnalysis(library); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
  }

  llvm::PassBuilder builder;
  llvm::TargetLibraryInfoImpl library;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
};

PassRunner::PassRunner(llvm::Module& module, llvm::TargetMachine& machine)
    : module_(module), analyses_(std::make_unique<Analyses>(module, machine)) {}

PassRunner::~PassRunner() = default;

Result<bool> PassRunner::run(const std::string& pipeline) {
  llvm::ModulePassManager passes;
  if (llvm::Error error = analyses_->builder.parsePassPipeline(passes, pipeline)) {
    return from_llvm(ErrorCode::invalid_argument, "the pipeline '" + pipeline + "'",
                     std::move(error));
  }
  return !passes.run(module_, analyses_->modules).areAllPreserved();
}

}  // namespace hone
