#include "build_integration/programs/generated_program.h"

#include <charconv>
#include <string>

#include "build_integration/programs/clang_compile.h"
#include "build_integration/programs/tool.h"
#include "common/base/file.h"
#include "common/base/hash.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGenerateSeconds{30};
constexpr std::chrono::seconds kCsmithRunSeconds{10};
const fs::path kCsmithHeaders = "/usr/include/csmith";

// Another version of a tool makes another program of the same seed.
std::string key(std::string_view kind, std::uint32_t seed, const std::string& tools) {
  return std::string(kind) + "-" + std::to_string(seed) + "-" +
         to_hex(hash128(tools)).substr(0, 16);
}

Result<void> generate(std::vector<std::string> arguments, std::string_view packages,
                      const fs::path& folder = {}) {
  Tool tool;
  tool.folder = folder;
  tool.arguments = std::move(arguments);
  tool.packages = packages;
  tool.limit = kGenerateSeconds;
  HONE_CHECK(run_tool(tool));
  return {};
}

Result<void> make_csmith(std::uint32_t seed, const std::string& level, const fs::path& output) {
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("hone-csmith-"));
  const fs::path source = folder.path() / "program.c";
  HONE_CHECK(generate({"csmith", "--seed", std::to_string(seed), "-o", source.string()},
                      "csmith libcsmith-dev", folder.path()));
  if (!fs::exists(kCsmithHeaders / "csmith.h")) {
    return fail(ErrorCode::not_found,
                "csmith's headers are not installed (Debian: apt-get install "
                "libcsmith-dev)");
  }
  // Named without the folder, whose name is another one each time and would be in the bitcode.
  ClangCompile compile;
  compile.source = source.filename();
  compile.folder = folder.path();
  compile.flags = {"-I" + kCsmithHeaders.string()};
  compile.output = output;
  compile.level = level;
  return compile_to_bitcode(compile);
}

}  // namespace

Result<std::uint32_t> parse_seed(std::string_view text) {
  std::uint32_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return fail(ErrorCode::invalid_argument,
                "seed '" + std::string(text) + "' must be a number, 0 to 4294967295");
  }
  return seed;
}

Result<Program> csmith_program(std::uint32_t seed, ProgramCache& cache, const std::string& level) {
  Program program;
  const std::string tools = tool_identity("csmith") + tool_identity(std::string(kClang)) + level;
  HONE_TRY(program.file, cache.get(key("csmith", seed, tools) + ".bc", [&](const fs::path& output) {
    return make_csmith(seed, level, output);
  }));
  program.uri = "generator://csmith-v0/" + std::to_string(seed);
  program.runs.emplace_back().limit = kCsmithRunSeconds;
  program.runs_unoptimised = false;
  return program;
}

Result<Program> llvm_stress_program(std::uint32_t seed, ProgramCache& cache) {
  Program program;
  HONE_TRY(program.file,
           cache.get(key("llvm-stress", seed, tool_identity("llvm-stress-19")) + ".ll",
                     [&](const fs::path& output) {
                       return generate({"llvm-stress-19", "--seed=" + std::to_string(seed), "-o",
                                        output.string()},
                                       "llvm-19");
                     }));
  program.uri = "generator://llvm-stress-v0/" + std::to_string(seed);
  return program;
}

}  // namespace hone
