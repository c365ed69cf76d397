// SettingTable: what it prints.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/settings/setting_table.h"

namespace hone {
namespace {

// In a cell of a Markdown table.
std::string cell(std::string text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') {
      escaped += '\\';
    }
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string source_text(const Setting& setting) {
  return setting.source == SettingSource::standard ? "default" : setting.place;
}

// Whether a file that says it would say something else than what is in force: "never", or "as many
// as there are processors", is no value, and who gives the value that stands for it has given one.
bool is_made_up(const Setting& setting) {
  return setting.source == SettingSource::standard && !setting.name.default_text.empty();
}

// As a comment: a text as it is now, where there is one; else in words.
std::string made_up_value(const Setting& setting, const Json& value) {
  return value.is_string() && value != Json("") ? dump_json(value) : setting.name.default_text;
}

}  // namespace

std::string SettingTable::config_text() const {
  std::string text = fmt::format("# {} {}: every setting, and where its value is from.\n",
                                 text_.program, text_.version);
  std::size_t width = 0;
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Setting& setting : settings_) {
    const Json value = setting.show();
    std::string line;
    if (setting.name.secret && value != Json("")) {
      line = "# " + setting.name.key + ": (hidden)";
    } else if (is_made_up(setting)) {
      line = "# " + setting.name.key + ": " + made_up_value(setting, value);
    } else {
      line = setting.name.key + ": " + dump_json(value);
    }
    width = std::max(width, std::min<std::size_t>(line.size(), 60));
    lines.emplace_back(std::move(line), source_text(setting));
  }
  for (const auto& [line, source] : lines) {
    text += fmt::format("{:<{}}  # {}\n", line, width, source);
  }
  for (const std::string& stranger : strangers_) {
    text += "# " + stranger + "\n";
  }
  return text;
}

std::string SettingTable::reference_text() const {
  std::string text = fmt::format("## {}\n\n{}\n", text_.program, text_.reference_intro);
  std::string section;
  for (const Setting& setting : settings_) {
    if (section != setting.section) {
      section = setting.section;
      text += fmt::format(
          "\n### {}\n\n| Setting | Environment | Value | Default | What it is |\n| --- | --- | --- "
          "| "
          "--- | --- |\n",
          section);
    }
    std::string value = setting.values;
    if (!setting.name.unit.empty() && setting.name.unit.find('|') == std::string::npos) {
      value += " (" + setting.name.unit + ")";
    }
    text += fmt::format(
        "| `{}` | `{}` | {} | {} | {}{} |\n", setting.name.key, setting.name.environment,
        cell(value),
        setting.standard.empty() ? (setting.shape == SettingShape::list ? "none" : "empty")
        : setting.name.default_text.empty() ? "`" + setting.standard + "`"
                                            : cell(setting.standard),
        cell(setting.name.help), setting.name.secret ? ". A secret: never shown" : "");
  }
  return text;
}

}  // namespace hone
