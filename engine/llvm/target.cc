#include "engine/llvm/target.h"

#include <optional>

#include <llvm-c/Core.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>

namespace hone {

Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const std::string& triple) {
  // Inline assembly needs the parser.
  [[maybe_unused]] static const bool initialised = [] {
    return !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter() &&
           !llvm::InitializeNativeTargetAsmParser();
  }();
  const std::string wanted = triple.empty() ? llvm::sys::getDefaultTargetTriple() : triple;
  std::string why;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(wanted, why);
  if (target == nullptr) {
    return fail(ErrorCode::unsupported, "no code generator for '" + wanted + "': " + why);
  }
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(wanted, "", "", llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (machine == nullptr) {
    return fail(ErrorCode::unsupported, "no code generator for '" + wanted + "'");
  }
  return machine;
}

std::string llvm_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  return "LLVM " + std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

}  // namespace hone
