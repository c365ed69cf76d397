#include "engine/llvm/text_size.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "engine/llvm/llvm_error.h"

namespace hone {

Result<std::int64_t> object_text_bytes(const llvm::Module& module, llvm::TargetMachine& machine) {
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  if (copy->getDataLayout().isDefault()) {
    copy->setDataLayout(machine.createDataLayout());
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return fail(ErrorCode::unsupported, "the target writes no object files");
  }
  passes.run(*copy);
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(
          llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), "object"));
  if (!object) {
    return from_llvm(ErrorCode::internal, "the object file", object.takeError());
  }
  std::int64_t size = 0;
  for (const llvm::object::SectionRef& section : (*object)->sections()) {
    size += section.isText() ? static_cast<std::int64_t>(section.getSize()) : 0;
  }
  return size;
}

}  // namespace hone
