#include "engine/llvm/module_io.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace hone {
namespace {

std::string first_line(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

}  // namespace

Result<std::unique_ptr<llvm::Module>> read_module(std::string_view bytes,
                                                  llvm::LLVMContext& context) {
  if (bytes.size() > kMaxProgramBytes) {
    return fail(ErrorCode::too_large, "a program of " + std::to_string(bytes.size()) +
                                          " bytes: at most " + std::to_string(kMaxProgramBytes));
  }
  // The reader of text wants a zero behind the last byte.
  const std::unique_ptr<llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(bytes.data(), bytes.size()), "program");
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseIR(*buffer, problem, context);
  if (module == nullptr) {
    const std::string where =
        problem.getLineNo() > 0 ? " (line " + std::to_string(problem.getLineNo()) + ")" : "";
    return fail(ErrorCode::invalid_argument,
                "neither bitcode nor IR text: " + problem.getMessage().str() + where);
  }
  std::string why;
  llvm::raw_string_ostream stream(why);
  bool broken_debug_info = false;
  if (llvm::verifyModule(*module, &stream, &broken_debug_info)) {
    return fail(ErrorCode::invalid_argument, "not a valid module: " + first_line(why));
  }
  if (broken_debug_info) {
    llvm::StripDebugInfo(*module);
  }
  return module;
}

Result<std::unique_ptr<llvm::Module>> load_program(std::string_view bytes,
                                                   llvm::LLVMContext& context) {
  HONE_TRY(std::unique_ptr<llvm::Module> module, read_module(bytes, context));
  strip_optnone(*module);
  return module;
}

std::size_t strip_optnone(llvm::Module& module) {
  std::size_t stripped = 0;
  for (llvm::Function& function : module) {
    if (function.hasFnAttribute(llvm::Attribute::OptimizeNone)) {
      function.removeFnAttr(llvm::Attribute::OptimizeNone);
      ++stripped;
    }
  }
  return stripped;
}

std::string bitcode_of(const llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  stream.flush();
  return bytes;
}

std::string ir_text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  stream.flush();
  return text;
}

std::string broken_rules(const llvm::Module& module) {
  std::string why;
  llvm::raw_string_ostream stream(why);
  return llvm::verifyModule(module, &stream) ? first_line(std::move(why)) : std::string();
}

std::string broken_rules(const llvm::Function& function) {
  std::string why;
  llvm::raw_string_ostream stream(why);
  return llvm::verifyFunction(function, &stream) ? first_line(std::move(why)) : std::string();
}

}  // namespace hone
