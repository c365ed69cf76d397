// A stand-in for libhone_pass that fails as HONE_TEST_FAULT says, in the middle of the compile:
// crash (abort), kill (SIGKILL), hang (uses CPU for ever), sleep (waits for ever), error (ends with
// exit code 1 and an error message), exit70. "PIPELINE=KIND;PIPELINE=KIND" fails only in compiles
// with such a pipeline; in others it adds nothing to the compiler's own passes.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>

namespace {

llvm::cl::opt<std::string> pipeline_option("use-hone-pipeline", llvm::cl::Hidden);

std::string kind_of_fault() {
  const char* const fault = std::getenv("HONE_TEST_FAULT");
  std::string_view text = fault == nullptr ? "" : fault;
  if (text.find('=') == std::string_view::npos) {
    return std::string(text);
  }
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(';'));
    text.remove_prefix(item.size() < text.size() ? item.size() + 1 : item.size());
    const std::size_t equals = item.rfind('=');
    if (equals != std::string_view::npos && item.substr(0, equals) == pipeline_option.getValue()) {
      return std::string(item.substr(equals + 1));
    }
  }
  return {};
}

struct FaultyPass : llvm::PassInfoMixin<FaultyPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module&, llvm::ModuleAnalysisManager&) {
    const std::string kind = kind_of_fault();
    if (kind == "crash") {
      std::abort();
    }
    if (kind == "kill") {
      ::raise(SIGKILL);
    }
    if (kind == "sleep") {
      while (true) {
        ::pause();
      }
    }
    volatile bool hangs = kind == "hang";
    while (hangs) {
    }
    if (kind == "error") {
      llvm::report_fatal_error("something the plain compiler would not say", false);
    }
    if (kind == "exit70") {
      llvm::report_fatal_error("a fault", true);
    }
    return llvm::PreservedAnalyses::all();
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "faulty", "0", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager& manager, llvm::OptimizationLevel) {
                  manager.addPass(FaultyPass());
                });
          }};
}
