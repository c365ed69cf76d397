#include "build_integration/programs/evaluation_subject.h"

#include "build_integration/programs/clang_compile.h"
#include "build_integration/programs/tool.h"
#include "common/base/file.h"
#include "common/base/hash.h"

namespace hone {
namespace {

constexpr std::size_t kMaxProgramBytes = std::size_t{1} << 30U;

}  // namespace

Result<std::string> evaluation_subject(std::string_view cost, const Program& program) {
  HONE_TRY(const std::string content, read_file(program.file, kMaxProgramBytes));
  // clang-19 and the sessions are of one LLVM, which is updated as a whole.
  const std::string made_of = content + tool_identity(std::string(kClang));
  return std::string(cost) + " of " + program.uri + " (" + to_hex(hash128(made_of)) + ")";
}

}  // namespace hone
