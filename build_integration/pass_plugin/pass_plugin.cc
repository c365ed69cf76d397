// libhone_pass: a pass plugin that makes the user's own clang run a pipeline of ours in place of
// the middle end of -O1 to -O3.
//
// How: a required module pass at the start of the pipeline runs the text of -use-hone-pipeline;
// after that, pass instrumentation skips every optional pass of the default pipeline but a keep
// list. All else (front end, code generation, every flag) stays clang's. Loaded with -fplugin= and
// -fpass-plugin=, so that its option exists before -mllvm is parsed and that caches see the file.
// With -use-hone-pipeline-after-profile the default pipeline runs as far as it needs to match an
// instrumentation profile of the IR to the code; ours takes the place of what follows.
// With -use-hone-choice the pipeline is chosen for each module (choice.h).
//
// It never falls back: a text that does not parse, a module it cannot handle or a wrong host end
// the compile with exit code 70 and a line "hone-pass: KIND: ..." (KIND is host, pipeline, choice,
// profile, coroutines or level), before there is an output. What to do then is the launcher's
// decision. Builds against LLVM 14, 15, 16 and 19.
#include <memory>
#include <string>

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>

#include "build_integration/pass_plugin/choice.h"
#include "build_integration/pass_plugin/host_check.h"
#include "build_integration/pass_plugin/replacement.h"

namespace hone {
namespace {

// The names must not begin with 'h': if the plugin cannot be loaded, LLVM takes an unknown option
// that begins so for -h, prints its help and exits with 0.
llvm::cl::opt<std::string> pipeline_option(
    "use-hone-pipeline", llvm::cl::Hidden,
    llvm::cl::desc("Pass pipeline that replaces the middle end of -O1 to -O3"));
llvm::cl::opt<std::string> choice_option(
    "use-hone-choice", llvm::cl::Hidden,
    llvm::cl::desc("Pipelines, and a tree that picks one of them by what the module looks like"));
llvm::cl::opt<bool> after_profile_option(
    "use-hone-pipeline-after-profile", llvm::cl::Hidden,
    llvm::cl::desc("The pipeline takes over where an instrumentation profile has been read"));

void register_callbacks(llvm::PassBuilder& builder) {
  if (pipeline_option.empty() && choice_option.empty()) {
    return;
  }
  if (!choice_option.empty() && (!pipeline_option.empty() || after_profile_option)) {
    refuse("choice: it stands for a pipeline of its own and follows no profile");
  }
  llvm::PassInstrumentationCallbacks* const instrumentation =
      builder.getPassInstrumentationCallbacks();
  if (instrumentation == nullptr) {
    refuse("pipeline: this compiler has no pass instrumentation");
  }
  auto progress = std::make_shared<Progress>();
  progress->after_profile = after_profile_option;
  const llvm::StringRef text = pipeline_option.getValue();
  if (progress->after_profile && text.contains("default<")) {
    refuse("profile: a default pipeline inside ours would read the profile a second time");
  }
  // The text is parsed at an extension point, not when the plugin is loaded: by then clang has
  // registered its own (sanitizers), which default<...> in the text must see.
  const auto replace = [&builder, progress](llvm::ModulePassManager& manager,
                                            llvm::OptimizationLevel level) {
    if (progress->parsing) {
      return;
    }
    if (level == llvm::OptimizationLevel::O0) {
      refuse("level: -O0 has no pipeline to replace");
    }
    if (choice_option.empty()) {
      add_replacement(builder, pipeline_option.getValue(), progress, manager);
    } else {
      add_choice(builder, choice_option.getValue(), progress, manager);
    }
  };
  if (!progress->after_profile) {
    builder.registerPipelineStartEPCallback(replace);
  } else {
#if LLVM_VERSION_MAJOR >= 15
    builder.registerOptimizerEarlyEPCallback(replace);
#else
    refuse("profile: LLVM 14 has no place behind the profile for a pipeline");
#endif
  }
  instrumentation->registerShouldRunOptionalPassCallback(
      [progress](llvm::StringRef pass, const llvm::Any&) {
        return runs_in_default_pipeline(*progress, pass);
      });
}

}  // namespace
}  // namespace hone

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  hone::require_matching_host();
  return {LLVM_PLUGIN_API_VERSION, "hone", "0.1", hone::register_callbacks};
}
