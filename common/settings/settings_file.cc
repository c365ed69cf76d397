#include "common/settings/settings_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/json/pointer.h"
#include "common/yaml/yaml_document.h"

namespace hone {
namespace {

// Whether there is nothing but blanks and comments.
bool is_blank(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view words = trim(line);
    if (!words.empty() && words.front() != '#') {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<std::vector<FileSetting>> read_settings_file(const std::filesystem::path& path) {
  HONE_TRY(const std::string text, read_file(path, kMaxSettingsBytes));
  std::vector<FileSetting> settings;
  if (is_blank(text)) {
    return settings;
  }
  Result<YamlDocument> parsed = parse_yaml(text);
  if (!parsed) {
    return parsed.error().within(path.string());
  }
  const YamlDocument& document = *parsed;
  if (!document.value.is_object()) {
    return fail(ErrorCode::invalid_argument,
                path.string() + ": must be a mapping of settings (\"lease_seconds: 60\")");
  }
  for (const auto& [key, value] : document.value.items()) {
    const auto line = document.lines.find(child_pointer("", key));
    settings.push_back({key, value,
                        line == document.lines.end()
                            ? path.string()
                            : fmt::format("{} line {}", path.string(), line->second)});
  }
  return settings;
}

}  // namespace hone
