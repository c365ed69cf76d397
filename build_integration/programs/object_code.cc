#include "build_integration/programs/object_code.h"

#include "build_integration/programs/clang_compile.h"
#include "build_integration/programs/tool.h"
#include "staging/runner/elf_sections.h"

namespace hone {

Result<ObjectCode> compile_object(const ObjectCompile& compile, const std::stop_token& stop) {
  Tool tool;
  tool.packages = "clang-19";
  tool.arguments = {
      std::string(kClang),    "-" + compile.level, "-w", "-c", compile.program.string(), "-o",
      compile.output.string()};
  tool.arguments.insert(tool.arguments.end(), compile.options.begin(), compile.options.end());
  HONE_TRY(const RunReport report, run_tool(tool, stop));
  return ObjectCode{text_bytes(compile.output), report.cpu_seconds};
}

std::string code_generator_identity() {
  return tool_identity(std::string(kClang));
}

}  // namespace hone
