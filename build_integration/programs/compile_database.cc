#include "build_integration/programs/compile_database.h"

#include <algorithm>
#include <array>
#include <map>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/words.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxArguments = 10000;
constexpr std::size_t kMaxCommandBytes = std::size_t{1} << 20U;
constexpr std::size_t kShownNames = 5;

bool is_one_of(std::string_view flag, std::initializer_list<std::string_view> flags) {
  return std::ranges::find(flags, flag) != flags.end();
}

bool begins_with_one_of(std::string_view flag, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view b) { return flag.starts_with(b); });
}

// What says where the object and its dependencies go, or that code is made by the linker: none of
// it is true of a module that is stepped.
std::vector<std::string> own_flags(const std::vector<std::string>& arguments,
                                   const TranslationUnit& unit) {
  std::vector<std::string> flags;
  bool source_gone = false;
  // The source may be spelt otherwise than in "file".
  const auto is_source = [&unit](const std::string& flag) {
    return !flag.starts_with('-') && (unit.folder / flag).lexically_normal() == unit.source;
  };
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& flag = arguments[i];
    if (is_one_of(flag, {"-o", "-MF", "-MT", "-MQ", "-MJ", "-dumpdir"})) {
      ++i;
    } else if (is_one_of(flag, {"-c", "-S", "-E", "--", "-MD", "-MMD", "-MP", "-MM", "-M", "-MG",
                                "-Werror", "-save-temps", "-fno-lto"}) ||
               begins_with_one_of(flag, {"-MF", "-MT", "-MQ", "-flto", "-ffat-lto",
                                         "-Werror=", "-save-temps=", "-fdiagnostics-color"}) ||
               (flag.size() > 2 && flag.starts_with("-o") && !flag.starts_with("-object"))) {
      continue;
    } else if (!source_gone && is_source(flag)) {
      source_gone = true;
    } else {
      flags.push_back(flag);
    }
  }
  return flags;
}

std::vector<std::string> arguments_of(ObjectReader& reader) {
  std::vector<std::string> arguments =
      reader.text_list("arguments", kMaxArguments, {.min_size = 0, .max_size = kMaxCommandBytes});
  const std::optional<std::string> command =
      reader.optional_text("command", {.max_size = kMaxCommandBytes});
  if (arguments.empty() == !command.has_value()) {
    reader.refuse("command", "an entry has either command or arguments");
  } else if (command) {
    Result<std::vector<std::string>> words = split_words(*command);
    if (words) {
      return *std::move(words);
    }
    reader.refuse("command", words.error().message);
  }
  return arguments;
}

std::string name_of(const fs::path& source, const fs::path& root) {
  const fs::path below = source.lexically_relative(root);
  return below.empty() || below.begin()->string() == ".." ? source.string() : below.string();
}

std::optional<TranslationUnit> read_unit(ObjectReader& reader, const fs::path& root) {
  const std::string folder = reader.text("directory");
  const std::string file = reader.text("file");
  reader.find("output");  // where the object goes
  const std::vector<std::string> arguments = arguments_of(reader);
  TranslationUnit unit;
  unit.folder = (root / folder).lexically_normal();
  unit.source = (unit.folder / file).lexically_normal();
  const Result<SourceKind> kind = source_kind(unit.source);
  if (!kind || *kind == SourceKind::module) {
    return std::nullopt;
  }
  unit.kind = *kind;
  // A launcher stands before the compiler (ccache cc ...): what follows it up to the first flag is
  // no flag of clang's either.
  unit.flags = own_flags(arguments, unit);
  while (!unit.flags.empty() && !unit.flags.front().starts_with('-')) {
    unit.flags.erase(unit.flags.begin());
  }
  unit.name = name_of(unit.source, root);
  return unit;
}

// Whether `name` is the whole of `full`, or its last parts.
bool ends_in(std::string_view full, std::string_view name) {
  return full.ends_with(name) &&
         (full.size() == name.size() || full[full.size() - name.size() - 1] == '/');
}

}  // namespace

Result<CompileDatabase> CompileDatabase::parse(std::string_view text, const fs::path& root) {
  HONE_TRY(const Json document, parse_json(text, {.bytes = kMaxCompileDatabaseBytes}));
  if (!document.is_array()) {
    return fail(ErrorCode::invalid_argument, "it must be a list of {directory, file, command}");
  }
  CompileDatabase database;
  Problems problems;
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < document.size(); ++i) {
    // Tools add keys of their own.
    ObjectReader reader(document[i], "/" + std::to_string(i), problems, UnknownKeys::ignore);
    std::optional<TranslationUnit> unit = read_unit(reader, root);
    if (unit) {
      const std::size_t times = ++seen[unit->name];
      unit->name += times > 1 ? "@" + std::to_string(times) : "";
      database.units_.push_back(*std::move(unit));
    }
  }
  if (auto error = problems.as_error("compile_commands.json")) {
    return *std::move(error);
  }
  return database;
}

Result<CompileDatabase> CompileDatabase::read(const fs::path& file, const fs::path& root) {
  HONE_TRY(const std::string text, read_file(file, kMaxCompileDatabaseBytes));
  Result<CompileDatabase> database = parse(text, root.empty() ? file.parent_path() : root);
  if (!database) {
    return database.error().within(file.string());
  }
  return database;
}

Result<TranslationUnit> CompileDatabase::find(std::string_view name) const {
  const auto exact = std::ranges::find(units_, name, &TranslationUnit::name);
  if (exact != units_.end()) {
    return *exact;
  }
  std::vector<const TranslationUnit*> found;
  for (const TranslationUnit& unit : units_) {
    if (!name.empty() && (ends_in(unit.name, name) || unit.source == name)) {
      found.push_back(&unit);
    }
  }
  if (found.size() == 1) {
    return *found.front();
  }
  std::string names;
  const std::size_t count = found.empty() ? units_.size() : found.size();
  for (std::size_t i = 0; i < std::min(count, kShownNames); ++i) {
    names += (i == 0 ? "" : ", ") + (found.empty() ? units_[i].name : found[i]->name);
  }
  names += count > kShownNames ? ", ..." : "";
  if (found.empty()) {
    return fail(ErrorCode::not_found, "no translation unit '" + std::string(name) +
                                          "': there are " + (count == 0 ? "none" : names));
  }
  return fail(ErrorCode::invalid_argument, "'" + std::string(name) + "' is several: " + names);
}

}  // namespace hone
