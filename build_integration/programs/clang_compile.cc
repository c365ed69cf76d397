#include "build_integration/programs/clang_compile.h"

#include <algorithm>
#include <array>

#include "build_integration/programs/tool.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxBitcodeBytes = std::uint64_t{64} << 20U;  // what a session reads

// A level under which clang marks functions as ones to optimise.
bool is_level(std::string_view flag) {
  constexpr auto kLevels =
      std::to_array<std::string_view>({"-O", "-O1", "-O2", "-O3", "-O4", "-Os", "-Oz", "-Ofast"});
  return std::ranges::find(kLevels, flag) != kLevels.end();
}

bool ends_with_any(const fs::path& file, std::initializer_list<std::string_view> endings) {
  const std::string ending = file.extension().string();
  return std::ranges::find(endings, ending) != endings.end();
}

}  // namespace

Result<SourceKind> source_kind(const fs::path& file) {
  if (ends_with_any(file, {".bc", ".ll"})) {
    return SourceKind::module;
  }
  if (ends_with_any(file, {".c", ".i"})) {
    return SourceKind::c;
  }
  if (ends_with_any(file, {".cc", ".cpp", ".cxx", ".C", ".c++", ".ii"})) {
    return SourceKind::cxx;
  }
  return fail(
      ErrorCode::invalid_argument,
      "'" + file.string() + "' must end in .bc, .ll, .c, .i, .cc, .cpp, .cxx, .c++, .C or .ii");
}

Result<void> compile_to_bitcode(const ClangCompile& compile, const std::stop_token& stop) {
  Tool tool;
  tool.packages = "clang-19";
  tool.folder = compile.folder;
  tool.file_bytes = kMaxBitcodeBytes;
  tool.arguments = {std::string(compile.kind == SourceKind::cxx ? kClangxx : kClang)};
  tool.arguments.insert(tool.arguments.end(), compile.flags.begin(), compile.flags.end());
  // The last level holds; without one, or with -O0, functions are marked as not to be touched.
  const auto level = std::find_if(
      compile.flags.rbegin(), compile.flags.rend(),
      [](const auto& flag) { return flag == "-O0" || flag == "-Og" || is_level(flag); });
  if (!compile.level.empty()) {
    tool.arguments.push_back("-" + compile.level);
  } else if (level == compile.flags.rend() || !is_level(*level)) {
    tool.arguments.emplace_back("-O3");
  }
  for (const char* ours : {"-w", "-Wno-error", "-Qunused-arguments", "-Xclang",
                           "-disable-llvm-passes", "-emit-llvm", "-c"}) {
    tool.arguments.emplace_back(ours);
  }
  tool.arguments.insert(tool.arguments.end(),
                        {compile.source.string(), "-o", compile.output.string()});
  if (const auto report = run_tool(tool, stop); !report) {
    return report.error().within(compile.source.string());
  }
  return {};
}

Result<void> link_bitcode(const std::vector<fs::path>& inputs, const fs::path& output,
                          const std::stop_token& stop) {
  Tool tool;
  tool.packages = "llvm-19";
  tool.file_bytes = kMaxBitcodeBytes;
  tool.arguments = {"llvm-link-19", "-o", output.string()};
  for (const fs::path& input : inputs) {
    tool.arguments.push_back(input.string());
  }
  HONE_CHECK(run_tool(tool, stop));
  return {};
}

Result<double> link_program(const fs::path& bitcode, const std::vector<std::string>& link,
                            const fs::path& output, const std::stop_token& stop) {
  Tool tool;
  tool.packages = "clang-19";
  // C++'s, so that programs of both languages link; code is generated as a session's
  // ObjectTextSizeBytes has it.
  tool.arguments = {std::string(kClangxx), "-O3", "-w",           "-Xclang", "-disable-llvm-passes",
                    bitcode.string(),      "-o",  output.string()};
  tool.arguments.insert(tool.arguments.end(), link.begin(), link.end());
  HONE_TRY(const RunReport report, run_tool(tool, stop));
  return report.wall_seconds;
}

}  // namespace hone
