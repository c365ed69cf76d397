#include "build_integration/cli/source_list.h"

#include <iostream>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/json/document.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr std::size_t kMaxListBytes = std::size_t{256} << 20U;

Result<std::set<std::string>> from_list(const std::string& file) {
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    HONE_TRY(text, read_file(file, kMaxListBytes));
  }
  std::set<std::string> sources;
  for (const std::string_view line : split(text, '\n')) {
    if (!trim(line).empty()) {
      sources.emplace(trim(line));
    }
  }
  return sources;
}

Result<std::set<std::string>> from_database(const std::string& file,
                                            const std::filesystem::path& root) {
  HONE_TRY(const std::string text, read_file(file, kMaxListBytes));
  HONE_TRY(const Json database, parse_json(text, {.bytes = kMaxListBytes}));
  if (!database.is_array()) {
    return fail(ErrorCode::invalid_argument, file + " is no list of compile commands");
  }
  Problems problems;
  std::set<std::string> sources;
  for (const Json& entry : database) {
    ObjectReader reader(entry, "", problems, UnknownKeys::ignore);
    const std::filesystem::path folder = reader.text("directory");
    const std::filesystem::path source = reader.text("file");
    const std::filesystem::path relative =
        (folder / source).lexically_normal().lexically_relative(root);
    if (!relative.empty() && *relative.begin() != "..") {
      sources.insert(relative.string());
    }
  }
  if (auto error = problems.as_error(file)) {
    return *std::move(error);
  }
  return sources;
}

}  // namespace

Result<std::vector<std::string>> list_sources(const SourceListOptions& options) {
  if (options.sources.empty() == options.compile_commands.empty()) {
    return fail(ErrorCode::invalid_argument,
                "--per-source needs --sources FILE or --compile-commands FILE (one of the two)");
  }
  std::set<std::string> found;
  if (!options.sources.empty()) {
    HONE_TRY(found, from_list(options.sources));
  } else {
    std::error_code error;
    const std::filesystem::path root =
        std::filesystem::absolute(options.root.empty() ? "." : options.root, error);
    if (error) {
      return system_error("cannot find the source root", error.value());
    }
    HONE_TRY(found, from_database(options.compile_commands, root.lexically_normal()));
  }
  return std::vector<std::string>(found.begin(), found.end());
}

}  // namespace hone
