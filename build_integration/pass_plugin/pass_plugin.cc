// libhone_pass: a pass plugin that makes the user's own clang run a pipeline of ours in place of
// the middle end of -O1 to -O3.
//
// How: a required module pass at the start of the pipeline runs the text of -use-hone-pipeline;
// after that, pass instrumentation skips every optional pass of the default pipeline but a keep
// list. All else (front end, code generation, every flag) stays clang's. Loaded with -fplugin= and
// -fpass-plugin=, so that its option exists before -mllvm is parsed and that caches see the file.
//
// It never falls back: a text that does not parse, a module it cannot handle or a wrong host end
// the compile with exit code 70 and a line "hone-pass: KIND: ..." (KIND is host, pipeline,
// coroutines or level), before there is an output. What to do then is the launcher's decision.
// Builds against LLVM 14, 15, 16 and 19.
#include <memory>
#include <string>

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/ErrorHandling.h>

#include "build_integration/pass_plugin/host_check.h"
#include "build_integration/pass_plugin/keep_list.h"

namespace hone {
namespace {

// The name must not begin with 'h': if the plugin cannot be loaded, LLVM takes an unknown option
// that begins so for -h, prints its help and exits with 0.
llvm::cl::opt<std::string> pipeline_option(
    "use-hone-pipeline", llvm::cl::Hidden,
    llvm::cl::desc("Pass pipeline that replaces the middle end of -O1 to -O3"));

// Shared by the callbacks of one PassBuilder, hence of one module's compile.
struct State {
  bool running_ours = false;  // every pass runs then
  bool parsing = false;       // default<...> in our text calls the extension points again
  bool replaced = false;      // ours has run: optional passes of the default are skipped
  bool warns_itself = false;  // our text reports missed transformations, the default need not
};

// Through LLVM's own way to die: it removes temporary files and half-written outputs.
[[noreturn]] void refuse(const llvm::Twine& message) {
  llvm::report_fatal_error("hone-pass: " + message, /*gen_crash_diag=*/true);
}

bool is_presplit_coroutine(const llvm::Function& function) {
#if LLVM_VERSION_MAJOR >= 15
  return function.isPresplitCoroutine();
#else
  return function.hasFnAttribute("coroutine.presplit");
#endif
}

// Coroutines must be split for code generation, so that these passes stand around our pipeline
// wherever a module holds some: as in LLVM's own pipeline the frame is laid out after a first
// clean-up, and allocations are elided once ours has had its chance to inline.
[[maybe_unused]] constexpr llvm::StringLiteral kSplitCoroutines =
    "coro-early,function(simplifycfg,sroa,early-cse),cgscc(coro-split<reuse-storage>)";
[[maybe_unused]] constexpr llvm::StringLiteral kFinishCoroutines =
    "function(coro-elide),coro-cleanup";

struct Passes {
  llvm::ModulePassManager split_coroutines;
  llvm::ModulePassManager ours;
  llvm::ModulePassManager finish_coroutines;
};

const llvm::Function* find_presplit_coroutine(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (is_presplit_coroutine(function)) {
      return &function;
    }
  }
  return nullptr;
}

class ReplacementPass : public llvm::PassInfoMixin<ReplacementPass> {
 public:
  ReplacementPass(std::shared_ptr<State> state, std::shared_ptr<Passes> passes)
      : state_(std::move(state)), passes_(std::move(passes)) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    state_->running_ours = true;
    llvm::PreservedAnalyses preserved = llvm::PreservedAnalyses::all();
    const auto run_part = [&](llvm::ModulePassManager& part) {
      llvm::PreservedAnalyses after = part.run(module, analyses);
      // The analysis manager has been told by the part itself; the caller learns what is left.
      preserved.intersect(std::move(after));
    };
    const bool has_coroutines = find_presplit_coroutine(module) != nullptr;
    if (has_coroutines) {
      run_part(passes_->split_coroutines);
      if (const llvm::Function* const left = find_presplit_coroutine(module)) {
        refuse("coroutines: " + left->getName() + " is a coroutine that could not be split");
      }
    }
    run_part(passes_->ours);
    if (has_coroutines) {
      run_part(passes_->finish_coroutines);
    }
    state_->running_ours = false;
    state_->replaced = true;
    return preserved;
  }

  static bool isRequired() { return true; }

 private:
  std::shared_ptr<State> state_;
  std::shared_ptr<Passes> passes_;
};

void add_replacement(llvm::PassBuilder& builder, const std::shared_ptr<State>& state,
                     llvm::ModulePassManager& manager, llvm::OptimizationLevel level) {
  if (state->parsing) {
    return;
  }
  if (level == llvm::OptimizationLevel::O0) {
    refuse("level: -O0 has no pipeline to replace");
  }
  // Parsed here, not when the plugin is loaded: by now clang has registered its own extension
  // points (sanitizers), which default<...> in the text must see.
  auto passes = std::make_shared<Passes>();
  state->parsing = true;
  const auto parse = [&](llvm::ModulePassManager& part, llvm::StringRef text) {
    if (llvm::Error error = builder.parsePassPipeline(part, text)) {
      refuse("pipeline: " + llvm::toString(std::move(error)));
    }
  };
  parse(passes->ours, pipeline_option);
#if LLVM_VERSION_MAJOR >= 15
  parse(passes->split_coroutines, kSplitCoroutines);
  parse(passes->finish_coroutines, kFinishCoroutines);
#endif
  state->parsing = false;
  manager.addPass(ReplacementPass(state, std::move(passes)));
}

void register_callbacks(llvm::PassBuilder& builder) {
  if (pipeline_option.empty()) {
    return;
  }
  llvm::PassInstrumentationCallbacks* const instrumentation =
      builder.getPassInstrumentationCallbacks();
  if (instrumentation == nullptr) {
    refuse("pipeline: this compiler has no pass instrumentation");
  }
  auto state = std::make_shared<State>();
  const llvm::StringRef text = pipeline_option.getValue();
  state->warns_itself = text.contains("transform-warning") || text.contains("default<");
  builder.registerPipelineStartEPCallback(
      [&builder, state](llvm::ModulePassManager& manager, llvm::OptimizationLevel level) {
        add_replacement(builder, state, manager, level);
      });
  instrumentation->registerShouldRunOptionalPassCallback(
      [state](llvm::StringRef pass, const llvm::Any&) {
        if (state->running_ours || !state->replaced) {
          return true;
        }
        if (pass == "WarnMissedTransformationsPass") {
          return !state->warns_itself;
        }
        return is_kept(pass);
      });
}

}  // namespace
}  // namespace hone

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  hone::require_matching_host();
  return {LLVM_PLUGIN_API_VERSION, "hone", "0.1", hone::register_callbacks};
}
