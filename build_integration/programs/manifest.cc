#include "build_integration/programs/manifest.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "build_integration/programs/benchmark_uri.h"
#include "build_integration/programs/clang_compile.h"
#include "common/base/file.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPrograms = 100'000;
constexpr std::size_t kMaxSources = 1000;
constexpr std::size_t kMaxRuns = 100;
constexpr std::size_t kMaxArguments = 1000;
constexpr std::size_t kMaxText = std::size_t{1} << 20U;
constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20U;
constexpr std::size_t kMaxNameBytes = 128;
constexpr std::size_t kShownNames = 5;
constexpr std::int64_t kMaxSeconds = 3600;

bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '.' && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.' || c == '/';
         });
}

// The text of KEY, or the content of the file that KEY_file names.
std::optional<std::string> text_or_file(ObjectReader& reader, const std::string& key,
                                        const fs::path& folder) {
  const std::string file_key = key + "_file";
  std::optional<std::string> text =
      reader.optional_text(key, {.min_size = 0, .max_size = kMaxText});
  const std::optional<std::string> file = reader.optional_text(file_key);
  if (text && file) {
    reader.refuse(file_key, "either " + key + " or " + file_key + ", not both");
  } else if (file) {
    Result<std::string> content = read_file(folder / *file, kMaxFileBytes);
    if (content) {
      return *std::move(content);
    }
    reader.refuse(file_key,
                  "\"" + *file + "\" must be a file that can be read: " + content.error().message);
  }
  return text;
}

ProgramRun read_run(ObjectReader& reader, const fs::path& folder) {
  ProgramRun run;
  run.arguments =
      reader.text_list("arguments", kMaxArguments, {.min_size = 0, .max_size = kMaxText});
  run.input = text_or_file(reader, "input", folder).value_or("");
  run.output = text_or_file(reader, "output", folder);
  run.exit_code = static_cast<int>(reader.optional_integer("exit_code", 0, 255).value_or(0));
  run.limit = std::chrono::seconds(
      reader.optional_integer("seconds", 1, kMaxSeconds).value_or(kRunSeconds.count()));
  return run;
}

void read_sources(ObjectReader& reader, const fs::path& folder, ManifestProgram& program) {
  const std::vector<std::string> sources = reader.text_list("sources", kMaxSources);
  if (sources.empty()) {
    reader.refuse("sources", "must be a list of at least one file");
  }
  for (const std::string& source : sources) {
    const Result<SourceKind> kind = source_kind(source);
    std::error_code ignored;
    if (!kind) {
      reader.refuse("sources", kind.error().message);
    } else if (!fs::is_regular_file(folder / source, ignored)) {
      reader.refuse("sources", "\"" + source + "\" must be a file, relative to the manifest");
    }
    program.sources.push_back((folder / source).lexically_normal());
  }
}

ManifestProgram read_program(ObjectReader& reader, const fs::path& folder) {
  ManifestProgram program;
  program.name = reader.text("name", {.max_size = kMaxNameBytes});
  if (!program.name.empty() && !is_name(program.name)) {
    reader.refuse("name", "\"" + program.name +
                              "\" must be of A-Z a-z 0-9 . _ - and /, and begin with one of the "
                              "first three or _");
  }
  read_sources(reader, folder, program);
  program.flags = reader.text_list("flags", kMaxArguments);
  program.link = reader.text_list("link", kMaxArguments);
  reader.each("runs", kMaxRuns,
              [&](ObjectReader& run) { program.runs.push_back(read_run(run, folder)); });
  return program;
}

}  // namespace

Result<ManifestProgram> Manifest::find(std::string_view program) const {
  const auto found = std::ranges::find(programs, program, &ManifestProgram::name);
  if (found != programs.end()) {
    return *found;
  }
  std::string names;
  for (std::size_t i = 0; i < std::min(programs.size(), kShownNames); ++i) {
    names += (i == 0 ? "" : ", ") + programs[i].name;
  }
  names += programs.size() > kShownNames ? ", ..." : "";
  return fail(ErrorCode::not_found,
              "no program '" + std::string(program) + "' in " + name + ": there are " + names);
}

Result<Manifest> parse_manifest(const Json& document, const fs::path& folder) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  Manifest manifest;
  manifest.name = reader.text("name", {.max_size = kMaxNameBytes});
  if (!manifest.name.empty() &&
      (!is_name(manifest.name) || manifest.name.find('/') != std::string::npos ||
       !dataset_tag(manifest.name))) {
    reader.refuse("name",
                  "\"" + manifest.name + "\" must be a name with a version tag, like mine-v0");
  }
  std::set<std::string> names;
  reader.each("programs", kMaxPrograms, [&](ObjectReader& item) {
    ManifestProgram program = read_program(item, folder);
    if (!program.name.empty() && !names.insert(program.name).second) {
      item.refuse("name", "\"" + program.name + "\" is another program's already");
    }
    manifest.programs.push_back(std::move(program));
  });
  if (manifest.programs.empty() && document.is_object()) {
    reader.refuse("programs", "must be a list of at least one program");
  }
  reader.finish();
  if (auto error = problems.as_error("data set")) {
    return *std::move(error);
  }
  return manifest;
}

}  // namespace hone
