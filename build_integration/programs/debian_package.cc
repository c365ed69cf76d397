#include "build_integration/programs/debian_package.h"

#include <algorithm>
#include <array>

#include "build_integration/programs/tool.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/remove_tree.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kFetchLimit{10};
constexpr std::chrono::minutes kConfigureLimit{10};
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{2} << 30U;
constexpr std::size_t kMaxNameBytes = 64;
// Beside the unpacked source, which is in a folder of the package's name.
constexpr std::string_view kBuild = "build";
// Where products that are built in several ways keep the CMake one.
constexpr auto kCMakeFolders =
    std::to_array<std::string_view>({"", "build/cmake", "cmake", "contrib/cmake"});

Result<void> check_name(const std::string& name) {
  // Debian's policy, 5.6.1.
  const bool valid =
      name.size() >= 2 && name.size() <= kMaxNameBytes && name[0] != '-' && name[0] != '.' &&
      name[0] != '+' && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '+';
      });
  if (!valid) {
    return fail(ErrorCode::invalid_argument,
                "'" + name + "' must be the name of a Debian source package, like zstd");
  }
  return {};
}

Tool configuring(const fs::path& folder) {
  Tool tool;
  tool.packages = "cmake ninja-build meson";
  tool.folder = folder;
  tool.limit = kConfigureLimit;
  tool.memory_bytes = 0;
  tool.environment = {"CC=" + std::string(kClang), "CXX=" + std::string(kClangxx)};
  return tool;
}

Result<void> configure(const fs::path& source, const fs::path& build, const std::stop_token& stop) {
  for (const std::string_view below : kCMakeFolders) {
    if (!fs::exists(source / below / "CMakeLists.txt")) {
      continue;
    }
    Tool cmake = configuring(source);
    cmake.arguments = {"cmake",
                       "-S",
                       (source / below).string(),
                       "-B",
                       build.string(),
                       "-G",
                       "Ninja",
                       "-DCMAKE_BUILD_TYPE=Release",
                       "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                       "-DFETCHCONTENT_FULLY_DISCONNECTED=ON"};
    HONE_CHECK(run_tool(cmake, stop));
    return {};
  }
  if (fs::exists(source / "meson.build")) {
    Tool meson = configuring(source);
    meson.arguments = {
        "meson",        "setup",        "--buildtype=release", "--wrap-mode=nodownload",
        build.string(), source.string()};
    HONE_CHECK(run_tool(meson, stop));
    return {};
  }
  return fail(
      ErrorCode::unsupported,
      source.filename().string() +
          " is built by neither CMake nor Meson: make a compile_commands.json of its build "
          "(bear -- make) and name its programs compdb:///FOLDER/compile_commands.json#FILE");
}

Result<void> fetch(const std::string& name, const fs::path& script, const fs::path& folder,
                   const std::stop_token& stop) {
  if (!fs::exists(script)) {
    return fail(ErrorCode::not_found, "there is no " + script.string() +
                                          ", which fetches Debian's sources: install it with hone");
  }
  Tool tool;
  tool.arguments = {"bash", script.string(), folder.string(), name};
  tool.packages = "bash apt dpkg-dev debian-archive-keyring";
  tool.limit = kFetchLimit;
  tool.memory_bytes = 0;
  tool.file_bytes = kMaxFileBytes;
  HONE_CHECK(run_tool(tool, stop));
  return {};
}

}  // namespace

Result<DebianPackage> DebianPackage::open(const std::string& name, const fs::path& script,
                                          ProgramCache& cache,
                                          const std::function<void(std::string_view)>& say,
                                          const std::stop_token& stop) {
  HONE_CHECK(check_name(name));
  HONE_TRY(const fs::path fetched,
           cache.get("debian-source-" + name, [&](const fs::path& folder) -> Result<void> {
             say("fetching the source of " + name + " from Debian");
             return fetch(name, script, folder, stop);
           }));
  // Of the place that it is in for good: CMake's and Meson's files hold absolute paths.
  const fs::path source = fetched / name;
  const fs::path build = fetched / kBuild;
  const fs::path commands = build / "compile_commands.json";
  HONE_CHECK(cache.alone([&]() -> Result<void> {
    if (fs::exists(commands)) {
      return {};
    }
    say("configuring " + name);
    // What an earlier try that failed or was stopped left behind.
    HONE_CHECK(remove_tree(build));
    return configure(source, build, stop);
  }));
  DebianPackage package;
  package.name_ = name;
  HONE_TRY(package.database_, CompileDatabase::read(commands, source));
  return package;
}

Result<Program> DebianPackage::program(std::string_view unit, ProgramCache& cache,
                                       const std::string& level,
                                       const std::stop_token& stop) const {
  HONE_TRY(const TranslationUnit found, database_.find(unit));
  const std::string made_by = found.name + "\n" + join(found.flags, "\n") + "\n" +
                              tool_identity(std::string(kClang)) +
                              (level.empty() ? "" : "\n" + level);
  Program program;
  HONE_TRY(program.file,
           cache.get("debian-" + name_ + "-" + to_hex(hash128(made_by)) + ".bc",
                     [&](const fs::path& output) {
                       return compile_to_bitcode(
                           {found.source, found.kind, found.flags, found.folder, output, level},
                           stop);
                     }));
  program.uri = "benchmark://debian-v0/" + name_ + "/" + found.name;
  return program;
}

}  // namespace hone
