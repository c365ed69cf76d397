#include "engine/llvm/pass_runner.h"

#include <vector>

#include <llvm/ADT/Any.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/TargetParser/Triple.h>

#include "engine/llvm/llvm_error.h"

namespace hone {
namespace {

// What runs other passes, and so reports their changes again as one of the whole.
bool only_runs_others(llvm::StringRef pass) {
  return llvm::isSpecialPass(pass, {"PassManager", "PassAdaptor"});
}

// The function that a function or loop pass works on; null for other passes.
llvm::Function* function_of(llvm::Any unit) {
  if (const auto* const function = llvm::any_cast<const llvm::Function*>(&unit)) {
    return const_cast<llvm::Function*>(*function);
  }
  if (const auto* const loop = llvm::any_cast<const llvm::Loop*>(&unit)) {
    return (*loop)->getHeader()->getParent();
  }
  return nullptr;
}

// Notes changes from the passes' own reports. A loop pass may delete its loop, so that the function
// is remembered before it runs.
class ChangeWatch {
 public:
  ChangeWatch(llvm::PassInstrumentationCallbacks& callbacks, ModuleChanges& changes) {
    callbacks.registerBeforeNonSkippedPassCallback([this](llvm::StringRef pass, llvm::Any unit) {
      if (!only_runs_others(pass)) {
        running_.push_back(function_of(std::move(unit)));
      }
    });
    const auto after = [this, &changes](llvm::StringRef pass,
                                        const llvm::PreservedAnalyses& preserved) {
      if (only_runs_others(pass)) {
        return;
      }
      llvm::Function* const function = running_.back();
      running_.pop_back();
      if (preserved.areAllPreserved()) {
        return;
      }
      if (function == nullptr) {
        changes.whole = true;
      } else {
        changes.functions.insert(function);
      }
    };
    callbacks.registerAfterPassCallback(
        [after](llvm::StringRef pass, llvm::Any, const llvm::PreservedAnalyses& preserved) {
          after(pass, preserved);
        });
    callbacks.registerAfterPassInvalidatedCallback(after);
  }

 private:
  std::vector<llvm::Function*> running_;  // innermost last
};

}  // namespace

void ModuleChanges::add(const ModuleChanges& others) {
  whole = whole || others.whole;
  functions.insert(others.functions.begin(), others.functions.end());
}

// Declared innermost first: managers refer to the ones above, so these are destroyed last.
struct PassRunner::Analyses {
  Analyses(const llvm::Module& module, llvm::TargetMachine& machine, ModuleChanges& changes)
      : watch(callbacks, changes),
        builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks),
        library(llvm::Triple(module.getTargetTriple())) {
    functions.registerPass([this] { return llvm::TargetLibraryAnalysis(library); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
  }

  llvm::PassInstrumentationCallbacks callbacks;
  ChangeWatch watch;
  llvm::PassBuilder builder;
  llvm::TargetLibraryInfoImpl library;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
};

PassRunner::PassRunner(llvm::Module& module, llvm::TargetMachine& machine)
    : module_(module), analyses_(std::make_unique<Analyses>(module, machine, changes_)) {}

PassRunner::~PassRunner() = default;

Result<ModuleChanges> PassRunner::run(const std::string& pipeline) {
  llvm::ModulePassManager passes;
  if (llvm::Error error = analyses_->builder.parsePassPipeline(passes, pipeline)) {
    return from_llvm(ErrorCode::invalid_argument, "the pipeline '" + pipeline + "'",
                     std::move(error));
  }
  changes_ = ModuleChanges();
  const bool changed = !passes.run(module_, analyses_->modules).areAllPreserved();
  // What a pass that works on the whole may have deleted is not named.
  if (changes_.whole) {
    changes_.functions.clear();
  } else if (changed && !changes_.any()) {
    changes_.whole = true;
  }
  return changes_;
}

}  // namespace hone
