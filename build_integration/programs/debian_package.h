// A Debian source package as a data set: fetched from the machine's own Debian mirrors with its
// signature checked (deploy/debian_source.sh), configured by its own CMake or Meson with clang-19,
// kept in the cache. Nothing of it is built but the translation units that are asked for. Not
// thread safe.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "build_integration/programs/compile_database.h"
#include "build_integration/programs/program.h"
#include "build_integration/programs/program_cache.h"
#include "common/base/result.h"

namespace hone {

class DebianPackage {
 public:
  // Fetched and configured if the cache does not have it; `say` is told before the network is used.
  // invalid_argument for what is no package's name, unsupported for one that is built by neither
  // CMake nor Meson; errors of the script and of the tools.
  static Result<DebianPackage> open(const std::string& name, const std::filesystem::path& script,
                                    ProgramCache& cache,
                                    const std::function<void(std::string_view)>& say,
                                    const std::stop_token& stop = {});

  // Names are relative to the source package's root: "lib/common/xxhash.c".
  const CompileDatabase& database() const { return database_; }
  // `level` as ClangCompile has it.
  Result<Program> program(std::string_view unit, ProgramCache& cache, const std::string& level = "",
                          const std::stop_token& stop = {}) const;

 private:
  std::string name_;
  CompileDatabase database_;
};

}  // namespace hone
