// A stand-in for libhone_pass that fails as HONE_TEST_FAULT says, in the middle of the compile:
// crash (abort), kill (SIGKILL), hang (uses CPU for ever), sleep (waits for ever), error (ends with
// exit code 1 and an error message), exit70.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>

namespace {

llvm::cl::opt<std::string> pipeline_option("use-hone-pipeline", llvm::cl::Hidden);

struct FaultyPass : llvm::PassInfoMixin<FaultyPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module&, llvm::ModuleAnalysisManager&) {
    const char* const fault = std::getenv("HONE_TEST_FAULT");
    const std::string kind = fault == nullptr ? "" : fault;
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
