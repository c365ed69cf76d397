// Whatever names a program, as a file that compile sessions can be opened with.
//
//   x.bc  x.ll  x.c  x.cc  file:///tmp/x.bc          a file; C and C++ are compiled
//   generator://csmith-v0/42  generator://llvm-stress-v0/42
//   benchmark://debian-v0/zstd/lib/common/xxhash.c   a translation unit of a Debian package
//   compdb:///b/compile_commands.json#src/x.c        one of any product's
//   manifest:///d/mine.yaml#sort                     a program of a data set of one's own
//   benchmark://mine-v0/sort                         the same, with the manifest given beside
//
// Not thread safe. Files that are made of the user's own sources go with the loader; the others are
// in the cache.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/programs/benchmark_uri.h"
#include "build_integration/programs/compile_database.h"
#include "build_integration/programs/debian_package.h"
#include "build_integration/programs/manifest.h"
#include "build_integration/programs/program.h"
#include "common/base/file.h"
#include "common/base/result.h"

namespace hone {

struct ProgramLoaderSettings {
  // A manifest's text as a document: YAML is read elsewhere. Errors name what is wrong in it.
  // Empty: there are no manifests.
  std::function<Result<Json>(const std::filesystem::path&)> read_document;
  std::filesystem::path debian_script;           // deploy/debian_source.sh; empty: there is none
  std::vector<std::filesystem::path> manifests;  // whose data sets are known by their names
  std::function<void(std::string_view)> say = [](std::string_view) {};  // what takes long
  // "Oz": sources are compiled for this level, so that functions are marked as it marks them,
  // whatever their own flags say; empty: as these say. What is bitcode or IR is then refused
  // (unsupported): its functions have their marks.
  std::string level;
  std::stop_token stop;
};

class ProgramLoader {
 public:
  // Errors of the manifests; invalid_argument where two have one name.
  static Result<ProgramLoader> create(ProgramLoaderSettings settings);

  // not_found, invalid_argument and so on name what is wrong and what would be right.
  Result<Program> load(std::string_view name);

  // The URIs of a data set's programs; those of generators are too many to be listed: unsupported.
  Result<std::vector<std::string>> list(std::string_view dataset);
  // What data sets there are, with a line about each.
  std::vector<std::pair<std::string, std::string>> datasets() const;

 private:
  ProgramLoader(ProgramLoaderSettings settings, TemporaryFolder folder)
      : settings_(std::move(settings)), folder_(std::move(folder)) {}

  Result<void> check_level(const std::string& uri) const;
  Result<Program> load_file(const std::filesystem::path& path);
  Result<Program> load_generated(const BenchmarkUri& uri);
  Result<Program> load_debian(const BenchmarkUri& uri);
  Result<Program> load_unit(std::string_view text);
  Result<Program> load_member(const Manifest& manifest, std::string_view name, std::string uri);
  Result<Program> load_named(const BenchmarkUri& uri);
  Result<const CompileDatabase*> database(const std::filesystem::path& path);
  Result<const Manifest*> manifest(const std::filesystem::path& path);
  Result<const DebianPackage*> debian(const std::string& package);
  Result<ProgramCache*> cache();
  std::filesystem::path fresh_file();

  ProgramLoaderSettings settings_;
  TemporaryFolder folder_;
  std::size_t files_ = 0;
  std::optional<ProgramCache> cache_;
  std::map<std::filesystem::path, CompileDatabase> databases_;
  std::map<std::filesystem::path, Manifest> manifests_;
  std::map<std::string, DebianPackage> packages_;
};

}  // namespace hone
