#include "build_integration/pass_plugin/replacement.h"

#include <utility>

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Function.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/ErrorHandling.h>

#include "build_integration/pass_plugin/keep_list.h"

namespace hone {
namespace {

constexpr llvm::StringLiteral kLastProfilePass = "PGOIndirectCallPromotion";
// What ours may still inline must be there until ours has run.
constexpr llvm::StringLiteral kRemoveExternallyAvailable = "EliminateAvailableExternallyPass";

// Coroutines must be split for code generation, so that these passes stand around our pipeline
// wherever a module holds some: as in LLVM's own pipeline the frame is laid out after a first
// clean-up, and allocations are elided once ours has had its chance to inline.
[[maybe_unused]] constexpr llvm::StringLiteral kSplitCoroutines =
    "coro-early,function(simplifycfg,sroa,early-cse),cgscc(coro-split<reuse-storage>)";
[[maybe_unused]] constexpr llvm::StringLiteral kFinishCoroutines =
    "function(coro-elide),coro-cleanup";

struct Parts {
  llvm::ModulePassManager split_coroutines;
  llvm::ModulePassManager ours;
  llvm::ModulePassManager finish_coroutines;
  llvm::ModulePassManager remove_externally_available;
};

bool is_presplit_coroutine(const llvm::Function& function) {
#if LLVM_VERSION_MAJOR >= 15
  return function.isPresplitCoroutine();
#else
  return function.hasFnAttribute("coroutine.presplit");
#endif
}

class ReplacementPass : public llvm::PassInfoMixin<ReplacementPass> {
 public:
  ReplacementPass(std::shared_ptr<Progress> progress, std::shared_ptr<Parts> parts)
      : progress_(std::move(progress)), parts_(std::move(parts)) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    if (progress_->after_profile && progress_->stage != Stage::profile_read) {
      refuse("profile: the compiler's own pipeline has read no profile of the IR");
    }
    progress_->stage = Stage::running;
    llvm::PreservedAnalyses preserved = llvm::PreservedAnalyses::all();
    const auto run_part = [&](llvm::ModulePassManager& part) {
      llvm::PreservedAnalyses after = part.run(module, analyses);
      // The analysis manager has been told by the part itself; the caller learns what is left.
      preserved.intersect(std::move(after));
    };
    const bool has_coroutines = find_presplit_coroutine(module) != nullptr;
    if (has_coroutines) {
      run_part(parts_->split_coroutines);
      if (const llvm::Function* const left = find_presplit_coroutine(module)) {
        refuse("coroutines: " + left->getName() + " is a coroutine that could not be split");
      }
    }
    run_part(parts_->ours);
    // After a profile the default pipeline has split them.
    if (has_coroutines || progress_->after_profile) {
      run_part(parts_->finish_coroutines);
    }
    if (progress_->remove_externally_available) {
      run_part(parts_->remove_externally_available);
    }
    progress_->stage = Stage::replaced;
    return preserved;
  }

  static bool isRequired() { return true; }

 private:
  std::shared_ptr<Progress> progress_;
  std::shared_ptr<Parts> parts_;
};

}  // namespace

const llvm::Function* find_presplit_coroutine(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (is_presplit_coroutine(function)) {
      return &function;
    }
  }
  return nullptr;
}

void refuse(const llvm::Twine& message) {
  llvm::report_fatal_error("hone-pass: " + message, /*gen_crash_diag=*/true);
}

bool runs_in_default_pipeline(Progress& progress, llvm::StringRef pass) {
  switch (progress.stage) {
    case Stage::before:
      if (progress.after_profile && pass == kLastProfilePass) {
        progress.stage = Stage::profile_read;
      }
      return true;
    case Stage::profile_read:
      if (pass == kRemoveExternallyAvailable) {
        progress.remove_externally_available = true;
        return false;
      }
      // In these two coroutines are split, and sizes of memcpy are taken from the profile.
      return is_kept(pass) || pass == "ModuleInlinerWrapperPass" || pass == "DevirtSCCRepeatedPass";
    case Stage::running:
      return true;
    case Stage::replaced:
      break;
  }
  return pass == "WarnMissedTransformationsPass" ? !progress.warns_itself : is_kept(pass);
}

void add_replacement(llvm::PassBuilder& builder, llvm::StringRef pipeline,
                     const std::shared_ptr<Progress>& progress, llvm::ModulePassManager& manager) {
  auto parts = std::make_shared<Parts>();
  progress->warns_itself = pipeline.contains("transform-warning") || pipeline.contains("default<");
  progress->parsing = true;
  const auto parse = [&](llvm::ModulePassManager& part, llvm::StringRef text) {
    if (llvm::Error error = builder.parsePassPipeline(part, text)) {
      refuse("pipeline: " + llvm::toString(std::move(error)));
    }
  };
  parse(parts->ours, pipeline);
#if LLVM_VERSION_MAJOR >= 15
  parse(parts->split_coroutines, kSplitCoroutines);
  parse(parts->finish_coroutines, kFinishCoroutines);
#endif
  parse(parts->remove_externally_available, "elim-avail-extern");
  progress->parsing = false;
  manager.addPass(ReplacementPass(progress, std::move(parts)));
}

}  // namespace hone
