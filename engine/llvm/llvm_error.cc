#include "engine/llvm/llvm_error.h"

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

namespace hone {
namespace {

class Keeper final : public llvm::DiagnosticHandler {
 public:
  explicit Keeper(std::string& first_error) : first_error_(first_error) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error && first_error_.empty()) {
      llvm::raw_string_ostream stream(first_error_);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }

 private:
  std::string& first_error_;
};

}  // namespace

Error from_llvm(ErrorCode code, std::string_view what, llvm::Error error) {
  return fail(code, std::string(what) + ": " + llvm::toString(std::move(error)));
}

void keep_diagnostics(llvm::LLVMContext& context, std::string& first_error) {
  context.setDiagnosticHandler(std::make_unique<Keeper>(first_error));
}

}  // namespace hone
