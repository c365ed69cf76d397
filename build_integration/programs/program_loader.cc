#include "build_integration/programs/program_loader.h"

#include <nlohmann/json.hpp>

#include "build_integration/programs/clang_compile.h"
#include "build_integration/programs/generated_program.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFile = "file://";
constexpr std::string_view kDatabase = "compdb://";
constexpr std::string_view kManifest = "manifest://";
constexpr std::string_view kKinds =
    "a file (.bc, .ll, .c, .cc), file:///PATH, generator://csmith-v0/SEED, "
    "generator://llvm-stress-v0/SEED, benchmark://debian-v0/PACKAGE/FILE, "
    "compdb:///PATH/compile_commands.json#FILE or manifest:///PATH#NAME";

struct Place {
  fs::path file;
  std::string fragment;
};

// "/b/compile_commands.json#src/x.c". A '#' of the file's own name is no problem where the
// program's name has none.
Result<Place> place_of(std::string_view scheme, std::string_view text) {
  const std::size_t hash = text.rfind('#');
  Place place{fs::path(text.substr(0, hash)),
              hash == std::string_view::npos ? "" : std::string(text.substr(hash + 1))};
  if (!place.file.is_absolute()) {
    return fail(ErrorCode::invalid_argument,
                std::string(scheme) + std::string(text) +
                    " must hold an absolute path: " + std::string(scheme) + "/PATH");
  }
  return place;
}

bool is_generator(std::string_view dataset) {
  return dataset == "csmith-v0" || dataset == "llvm-stress-v0";
}

Error not_listed(const std::string& generator) {
  const std::string uri = "generator://" + generator + "/";
  return fail(ErrorCode::unsupported, "there is no list of " + generator +
                                          ": every seed from 0 to 4294967295 is a program, like " +
                                          uri + "42");
}

std::string_view without_slash(std::string_view path) {
  return path.starts_with('/') ? path.substr(1) : path;
}

}  // namespace

Result<ProgramLoader> ProgramLoader::create(ProgramLoaderSettings settings) {
  HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("hone-programs-"));
  ProgramLoader loader(std::move(settings), std::move(folder));
  std::map<std::string, fs::path> names;
  for (const fs::path& file : loader.settings_.manifests) {
    const fs::path path = fs::absolute(file).lexically_normal();
    HONE_TRY(const Manifest* const manifest, loader.manifest(path));
    const auto [first, fresh] = names.emplace(manifest->name, path);
    if ((!fresh && first->second != path) || manifest->name == "debian-v0") {
      return fail(ErrorCode::invalid_argument, path.string() + ": the name '" + manifest->name +
                                                   "' is another data set's already");
    }
  }
  return loader;
}

Result<Program> ProgramLoader::load(std::string_view name) {
  if (name.starts_with(kFile)) {
    HONE_TRY(const Place place, place_of(kFile, name.substr(kFile.size())));
    // All of it is the path: a file's name may hold '#' and '?'.
    return load_file(fs::path(name.substr(kFile.size())));
  }
  if (name.starts_with(kDatabase)) {
    return load_unit(name.substr(kDatabase.size()));
  }
  if (name.starts_with(kManifest)) {
    HONE_TRY(const Place place, place_of(kManifest, name.substr(kManifest.size())));
    HONE_TRY(const Manifest* const found, manifest(place.file));
    return load_member(*found, place.fragment, std::string(name));
  }
  std::error_code ignored;
  const bool is_uri = name.find("://") != std::string_view::npos;
  if (!is_uri && fs::exists(fs::path(name), ignored)) {
    return load_file(fs::path(name));
  }
  HONE_TRY(const BenchmarkUri uri, parse_benchmark_uri(name));
  if (!is_uri && !dataset_tag(uri.dataset)) {
    return fail(ErrorCode::not_found,
                "no file '" + std::string(name) + "': a program is " + std::string(kKinds));
  }
  return load_named(uri);
}

Result<Program> ProgramLoader::load_named(const BenchmarkUri& uri) {
  if (uri.scheme == "generator") {
    return load_generated(uri);
  }
  if (uri.scheme != "benchmark") {
    return fail(
        ErrorCode::invalid_argument,
        "the scheme of " + to_string(uri) + " is unknown: a program is " + std::string(kKinds));
  }
  if (uri.dataset == "debian-v0") {
    return load_debian(uri);
  }
  for (const auto& [path, manifest] : manifests_) {
    if (manifest.name == uri.dataset) {
      return load_member(manifest, without_slash(uri.path), to_string(uri));
    }
  }
  if (is_generator(uri.dataset)) {
    return fail(ErrorCode::not_found,
                to_string(uri) + " must be generator://" + uri.dataset + uri.path);
  }
  return fail(ErrorCode::not_found, "no data set benchmark://" + uri.dataset +
                                        ": there are benchmark://debian-v0 and those of manifests "
                                        "that are given (--dataset FILE)");
}

Result<void> ProgramLoader::check_level(const std::string& uri) const {
  if (settings_.level.empty()) {
    return {};
  }
  return fail(ErrorCode::unsupported,
              uri + " is bitcode or IR: sources alone can be compiled for -" + settings_.level);
}

Result<Program> ProgramLoader::load_file(const fs::path& path) {
  HONE_TRY(const SourceKind kind, source_kind(path));
  std::error_code failed;
  const fs::path file = fs::absolute(path, failed).lexically_normal();
  if (failed || !fs::is_regular_file(file, failed)) {
    return fail(ErrorCode::not_found, "no file " + file.string());
  }
  Program program;
  program.uri = std::string(kFile) + file.string();
  program.file = file;
  if (kind != SourceKind::module) {
    program.file = fresh_file();
    HONE_CHECK(
        compile_to_bitcode({file, kind, {}, {}, program.file, settings_.level}, settings_.stop));
  } else {
    HONE_CHECK(check_level(program.uri));
  }
  return program;
}

Result<Program> ProgramLoader::load_generated(const BenchmarkUri& uri) {
  HONE_TRY(ProgramCache* const kept, cache());
  const auto seed = parse_seed(without_slash(uri.path));
  if (!is_generator(uri.dataset)) {
    return fail(ErrorCode::not_found, "no generator '" + uri.dataset +
                                          "': there are generator://csmith-v0 and "
                                          "generator://llvm-stress-v0");
  }
  if (!seed) {
    return seed.error().within(to_string(uri));
  }
  if (uri.dataset == "csmith-v0") {
    return csmith_program(*seed, *kept, settings_.level);
  }
  HONE_CHECK(check_level(to_string(uri)));
  return llvm_stress_program(*seed, *kept);
}

Result<Program> ProgramLoader::load_debian(const BenchmarkUri& uri) {
  const std::string_view path = without_slash(uri.path);
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || slash + 1 == path.size()) {
    return fail(ErrorCode::invalid_argument,
                to_string(uri) +
                    " must be benchmark://debian-v0/PACKAGE/FILE; `hone env list "
                    "programs debian-v0/PACKAGE` lists its files");
  }
  HONE_TRY(const DebianPackage* const package, debian(std::string(path.substr(0, slash))));
  HONE_TRY(ProgramCache* const kept, cache());
  return package->program(path.substr(slash + 1), *kept, settings_.level, settings_.stop);
}

Result<Program> ProgramLoader::load_unit(std::string_view text) {
  HONE_TRY(const Place place, place_of(kDatabase, text));
  HONE_TRY(const CompileDatabase* const units, database(place.file));
  const Result<TranslationUnit> unit = units->find(place.fragment);
  if (!unit) {
    return unit.error().within(place.file.string());
  }
  Program program;
  program.uri = std::string(kDatabase) + place.file.string() + "#" + unit->name;
  program.file = fresh_file();
  HONE_CHECK(compile_to_bitcode(
      {unit->source, unit->kind, unit->flags, unit->folder, program.file, settings_.level},
      settings_.stop));
  return program;
}

Result<Program> ProgramLoader::load_member(const Manifest& manifest, std::string_view name,
                                           std::string uri) {
  HONE_TRY(const ManifestProgram member, manifest.find(name));
  std::vector<fs::path> modules;
  for (const fs::path& source : member.sources) {
    HONE_TRY(const SourceKind kind, source_kind(source));
    if (kind == SourceKind::module) {
      HONE_CHECK(check_level(uri));
      modules.push_back(source);
      continue;
    }
    modules.push_back(fresh_file());
    HONE_CHECK(compile_to_bitcode(
        {source, kind, member.flags, source.parent_path(), modules.back(), settings_.level},
        settings_.stop));
  }
  Program program;
  program.uri = std::move(uri);
  program.file = modules.front();
  if (modules.size() > 1) {
    program.file = fresh_file();
    HONE_CHECK(link_bitcode(modules, program.file, settings_.stop));
  }
  program.runs = member.runs;
  program.link = member.link;
  return program;
}

Result<std::vector<std::string>> ProgramLoader::list(std::string_view dataset) {
  std::vector<std::string> uris;
  const auto add_units = [&uris](const CompileDatabase& database, const std::string& before) {
    for (const TranslationUnit& unit : database.units()) {
      uris.push_back(before + unit.name);
    }
  };
  if (dataset.starts_with(kDatabase)) {
    HONE_TRY(const Place place, place_of(kDatabase, dataset.substr(kDatabase.size())));
    HONE_TRY(const CompileDatabase* const units, database(place.file));
    add_units(*units, std::string(kDatabase) + place.file.string() + "#");
    return uris;
  }
  if (dataset.starts_with(kManifest)) {
    HONE_TRY(const Place place, place_of(kManifest, dataset.substr(kManifest.size())));
    HONE_TRY(const Manifest* const found, manifest(place.file));
    for (const ManifestProgram& program : found->programs) {
      uris.push_back(std::string(kManifest) + place.file.string() + "#" + program.name);
    }
    return uris;
  }
  HONE_TRY(const BenchmarkUri uri, parse_benchmark_uri(dataset));
  if (uri.scheme == "generator" && is_generator(uri.dataset)) {
    return not_listed(uri.dataset);
  }
  if (uri.scheme == "benchmark" && uri.dataset == "debian-v0") {
    const std::string package(without_slash(uri.path));
    if (package.empty()) {
      return fail(ErrorCode::unsupported,
                  "every source package of Debian that CMake or Meson builds is one: name it, like "
                  "debian-v0/zstd");
    }
    HONE_TRY(const DebianPackage* const found, debian(package));
    add_units(found->database(), "benchmark://debian-v0/" + package + "/");
    return uris;
  }
  for (const auto& [path, manifest] : manifests_) {
    if (uri.scheme == "benchmark" && manifest.name == uri.dataset) {
      for (const ManifestProgram& program : manifest.programs) {
        uris.push_back("benchmark://" + manifest.name + "/" + program.name);
      }
      return uris;
    }
  }
  if (is_generator(uri.dataset)) {
    return not_listed(uri.dataset);  // by its bare name
  }
  return fail(ErrorCode::not_found,
              "no data set '" + std::string(dataset) + "': `hone env list datasets` lists them");
}

std::vector<std::pair<std::string, std::string>> ProgramLoader::datasets() const {
  std::vector<std::pair<std::string, std::string>> all = {
      {"generator://csmith-v0", "SEED 0 to 4294967295: random C that runs (csmith)"},
      {"generator://llvm-stress-v0", "SEED 0 to 4294967295: random IR (llvm-stress)"},
      {"benchmark://debian-v0", "PACKAGE/FILE: translation units of Debian's source packages"},
      {"compdb:///PATH/compile_commands.json", "#FILE: translation units of a product of yours"},
      {"manifest:///PATH", "#NAME: a data set of yours"}};
  for (const auto& [path, manifest] : manifests_) {
    all.emplace_back("benchmark://" + manifest.name,
                     std::to_string(manifest.programs.size()) + " programs, " + path.string());
  }
  return all;
}

Result<const CompileDatabase*> ProgramLoader::database(const fs::path& path) {
  const fs::path file = path.lexically_normal();
  if (const auto known = databases_.find(file); known != databases_.end()) {
    return &known->second;
  }
  HONE_TRY(CompileDatabase read, CompileDatabase::read(file));
  return &databases_.emplace(file, std::move(read)).first->second;
}

Result<const Manifest*> ProgramLoader::manifest(const fs::path& path) {
  const fs::path file = path.lexically_normal();
  if (const auto known = manifests_.find(file); known != manifests_.end()) {
    return &known->second;
  }
  if (!settings_.read_document) {
    return fail(ErrorCode::unsupported, file.string() + ": manifests are read by `hone env` alone");
  }
  HONE_TRY(const Json document, settings_.read_document(file));
  Result<Manifest> parsed = parse_manifest(document, file.parent_path());
  if (!parsed) {
    return parsed.error().within(file.string());
  }
  return &manifests_.emplace(file, *std::move(parsed)).first->second;
}

Result<const DebianPackage*> ProgramLoader::debian(const std::string& package) {
  if (const auto known = packages_.find(package); known != packages_.end()) {
    return &known->second;
  }
  HONE_TRY(ProgramCache* const kept, cache());
  HONE_TRY(DebianPackage opened, DebianPackage::open(package, settings_.debian_script, *kept,
                                                     settings_.say, settings_.stop));
  return &packages_.emplace(package, std::move(opened)).first->second;
}

Result<ProgramCache*> ProgramLoader::cache() {
  if (!cache_) {
    HONE_TRY(cache_, ProgramCache::of_environment());
  }
  return &*cache_;
}

fs::path ProgramLoader::fresh_file() {
  return folder_.path() / ("program-" + std::to_string(++files_) + ".bc");
}

}  // namespace hone
