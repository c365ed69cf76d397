#include "common/settings/setting_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/environment.h"
#include "common/base/text.h"
#include "common/settings/settings_file.h"

namespace hone {
namespace {

std::string capitals(std::string text) {
  for (char& c : text) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return text;
}

std::string flag_of(const std::string& key) {
  std::string flag = "--" + key;
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> items;
  for (const std::string_view item : split(text, ',')) {
    if (!trim(item).empty()) {
      items.emplace_back(trim(item));
    }
  }
  return items;
}

// A Service named "honed" puts HONED_SERVICE_HOST, HONED_SERVICE_PORT_HTTP, HONED_PORT and
// HONED_PORT_7077_TCP_ADDR into the environment of every container.
bool of_kubernetes(std::string_view name) {
  return name.ends_with("_SERVICE_HOST") || name.find("_SERVICE_PORT") != std::string_view::npos ||
         name.ends_with("_PORT") ||
         (name.find("_PORT_") != std::string_view::npos &&
          (name.find("_TCP") != std::string_view::npos ||
           name.find("_UDP") != std::string_view::npos));
}

}  // namespace

SettingTable::SettingTable(ProgramText text) : text_(std::move(text)) {}

Setting& SettingTable::add_setting(SettingName name, std::string values, SettingShape shape) {
  if (name.environment.empty()) {
    name.environment = text_.environment_prefix + capitals(name.key);
  }
  Setting& setting = settings_.emplace_back();
  setting.name = std::move(name);
  setting.section = section_;
  setting.values = std::move(values);
  setting.shape = shape;
  return setting;
}

void SettingTable::add(SettingName name, std::string& value) {
  Setting& setting = add_setting(std::move(name), "text", SettingShape::one);
  setting.assign = [&value](const std::vector<std::string>& texts) -> Result<void> {
    value = texts.front();
    return {};
  };
  setting.show = [&value] { return Json(value); };
}

void SettingTable::add(SettingName name, std::filesystem::path& value) {
  Setting& setting = add_setting(std::move(name), "path", SettingShape::one);
  setting.assign = [&value](const std::vector<std::string>& texts) -> Result<void> {
    value = texts.front();
    return {};
  };
  setting.show = [&value] { return Json(value.string()); };
}

void SettingTable::add(SettingName name, bool& value) {
  Setting& setting = add_setting(std::move(name), "true or false", SettingShape::flag);
  setting.assign = [&value](const std::vector<std::string>& texts) -> Result<void> {
    HONE_TRY(value, parse_switch(texts.front()));
    return {};
  };
  setting.show = [&value] { return Json(value); };
}

namespace {

template <class Number>
void bind_number(Setting& setting, Number& value, WholeNumbers range) {
  setting.assign = [&value, range](const std::vector<std::string>& texts) -> Result<void> {
    HONE_TRY(const std::int64_t number, parse_whole_number(texts.front(), range));
    value = static_cast<Number>(number);
    return {};
  };
  setting.show = [&value] { return Json(value); };
}

}  // namespace

void SettingTable::add(SettingName name, std::int64_t& value, WholeNumbers range) {
  bind_number(add_setting(std::move(name), describe(range), SettingShape::one), value, range);
}
void SettingTable::add(SettingName name, std::uint64_t& value, WholeNumbers range) {
  bind_number(add_setting(std::move(name), describe(range), SettingShape::one), value, range);
}
void SettingTable::add(SettingName name, int& value, WholeNumbers range) {
  bind_number(add_setting(std::move(name), describe(range), SettingShape::one), value, range);
}

void SettingTable::add(SettingName name, std::vector<std::string>& value) {
  Setting& setting = add_setting(std::move(name), "list of texts", SettingShape::list);
  setting.assign = [&value](const std::vector<std::string>& texts) -> Result<void> {
    value = texts;
    return {};
  };
  setting.show = [&value] { return Json(value); };
}

void SettingTable::add(SettingName name, std::vector<int>& value, WholeNumbers range) {
  Setting& setting = add_setting(
      std::move(name),
      "list of numbers, " + std::to_string(range.low) + " to " + std::to_string(range.high),
      SettingShape::list);
  setting.assign = [&value, range](const std::vector<std::string>& texts) -> Result<void> {
    std::vector<int> numbers;
    for (const std::string& text : texts) {
      for (const std::string& item : listed(text)) {
        HONE_TRY(const std::int64_t number, parse_whole_number(item, range));
        numbers.push_back(static_cast<int>(number));
      }
    }
    value = std::move(numbers);
    return {};
  };
  setting.show = [&value] { return Json(value); };
}

void SettingTable::add_choice(SettingName name, std::vector<std::string> spellings,
                              std::function<void(std::size_t)> set,
                              std::function<std::size_t()> get) {
  Setting& setting = add_setting(std::move(name), join(spellings, ", "), SettingShape::one);
  setting.choices = spellings;
  setting.assign = [spellings,
                    set = std::move(set)](const std::vector<std::string>& texts) -> Result<void> {
    HONE_TRY(const std::size_t chosen, parse_choice(texts.front(), spellings));
    set(chosen);
    return {};
  };
  setting.show = [spellings, get = std::move(get)] { return Json(spellings.at(get())); };
}

void SettingTable::add_flags(CLI::App& app) {
  app.set_version_flag("--version", text_.program + " " + text_.version);
  for (Setting& setting : settings_) {
    setting.given.clear();
    setting.given_flag.clear();
    const Json value = setting.show();
    if (!setting.name.default_text.empty()) {
      setting.standard = setting.name.default_text;
    } else if (setting.shape != SettingShape::list) {
      setting.standard = value.is_string() ? value.get<std::string>() : dump_json(value);
    }
    std::string help = setting.name.help;
    if (setting.shape == SettingShape::list) {
      help += "; may be repeated";
    }
    if (!setting.standard.empty() && setting.shape != SettingShape::flag) {
      help += " [" + setting.standard + "]";
    }
    const std::string flag = flag_of(setting.name.key);
    if (setting.shape == SettingShape::flag) {
      app.add_flag(flag, setting.given_flag, help);
      continue;
    }
    CLI::Option* const option = app.add_option(flag, setting.given, help);
    // One value a flag: what follows it is no further value.
    option->expected(1)->allow_extra_args(false);
    option->multi_option_policy(setting.shape == SettingShape::list
                                    ? CLI::MultiOptionPolicy::TakeAll
                                    : CLI::MultiOptionPolicy::Throw);
    // As CLI11 spells them: completion reads it there.
    const std::string words =
        setting.choices.empty() ? "" : ":{" + join(setting.choices, ",") + "}";
    option->type_name((setting.name.unit.empty() ? "TEXT" : setting.name.unit) + words);
  }
  app.add_option("--config", config_,
                 "File with settings, YAML or JSON (" + text_.environment_prefix +
                     "CONFIG); a flag beats the environment, which beats the file")
      ->type_name("FILE");
  app.add_flag("--print-config", print_config_, "Print each setting and where its value is from");
  app.add_flag("--print-reference", print_reference_, "Print this program's reference page");
}

void SettingTable::take(Setting& setting, const std::vector<std::string>& texts,
                        SettingSource source, std::string place,
                        std::vector<FieldProblem>& problems) {
  for (const std::string& text : texts) {
    const Result<void> checked =
        setting.name.check && !text.empty() ? setting.name.check(text) : Result<void>();
    if (!checked) {
      problems.push_back({"/" + setting.name.key, place + ": " + checked.error().message});
      return;
    }
  }
  if (const Result<void> taken = setting.assign(texts); !taken) {
    // A secret's value is told by nobody.
    const std::string why =
        setting.name.secret ? "is not what it must be: " + setting.values : taken.error().message;
    problems.push_back({"/" + setting.name.key, place + ": " + why});
    return;
  }
  setting.source = source;
  setting.place = std::move(place);
}

void SettingTable::read_file(std::vector<FieldProblem>& problems) {
  const Result<std::vector<FileSetting>> read = read_settings_file(config_);
  if (!read) {
    problems.push_back({"/config", read.error().message});
    return;
  }
  std::vector<std::string> keys;
  for (const Setting& setting : settings_) {
    keys.push_back(setting.name.key);
  }
  for (const FileSetting& entry : *read) {
    const auto found = std::ranges::find_if(
        settings_, [&](const Setting& setting) { return setting.name.key == entry.key; });
    if (found == settings_.end()) {
      const std::string close = closest(entry.key, keys);
      problems.push_back(
          {"/" + entry.key, fmt::format("{}: {} has no such setting{}", entry.place, text_.program,
                                        close.empty() ? "" : "; did you mean " + close + "?")});
      continue;
    }
    const Result<std::vector<std::string>> texts = texts_of(entry.value, found->shape);
    if (!texts) {
      problems.push_back({"/" + entry.key, entry.place + ": " + texts.error().message});
      continue;
    }
    take(*found, *texts, SettingSource::file, entry.place, problems);
  }
}

Result<void> SettingTable::resolve() {
  std::vector<FieldProblem> problems;
  if (const char* named = std::getenv((text_.environment_prefix + "CONFIG").c_str());
      config_.empty() && named != nullptr) {
    config_ = named;
  }
  if (!config_.empty()) {
    read_file(problems);
  }
  for (Setting& setting : settings_) {
    const char* const value = std::getenv(setting.name.environment.c_str());
    if (value != nullptr && *value != '\0') {
      take(setting,
           setting.shape == SettingShape::list ? listed(value) : std::vector<std::string>{value},
           SettingSource::environment, "environment " + setting.name.environment, problems);
    }
    if (!setting.given.empty()) {
      take(setting, setting.given, SettingSource::flag, "flag " + flag_of(setting.name.key),
           problems);
    } else if (!setting.given_flag.empty()) {
      take(setting, {setting.given_flag}, SettingSource::flag, "flag " + flag_of(setting.name.key),
           problems);
    }
  }
  find_strangers();
  if (problems.empty()) {
    run_checks(problems);
  }
  if (problems.empty()) {
    return {};
  }
  return Error{ErrorCode::invalid_argument, "bad settings", std::move(problems)};
}

void SettingTable::run_checks(std::vector<FieldProblem>& problems) const {
  for (const SettingsCheck& check : checks_) {
    check(problems);
    if (!problems.empty()) {
      break;
    }
  }
  for (FieldProblem& problem : problems) {
    for (const Setting& setting : settings_) {
      if (problem.pointer == "/" + setting.name.key && !setting.place.empty()) {
        problem.detail = setting.place + ": " + problem.detail;
      }
    }
  }
}

void SettingTable::find_strangers() {
  strangers_.clear();
  std::vector<std::string> known{text_.environment_prefix + "CONFIG"};
  for (const Setting& setting : settings_) {
    known.push_back(setting.name.environment);
  }
  for (const std::string& entry : current_environment()) {
    const std::string name = entry.substr(0, entry.find('='));
    const bool empty = entry.size() <= name.size() + 1;  // counts as none
    if (empty || !name.starts_with(text_.environment_prefix) || of_kubernetes(name) ||
        std::ranges::find(known, name) != known.end()) {
      continue;
    }
    const std::string close = closest(name, known);
    strangers_.push_back(fmt::format("the variable {} of the environment is no setting of {}{}",
                                     name, text_.program,
                                     close.empty() ? "" : "; did you mean " + close + "?"));
  }
}

std::optional<int> SettingTable::read(CLI::App& app, int argc, const char* const* argv) {
  add_flags(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_code(ErrorCode::invalid_argument);
  }
  if (print_reference_) {
    std::fputs(reference_text().c_str(), stdout);
    return 0;
  }
  if (const Result<void> resolved = resolve(); !resolved) {
    std::fprintf(stderr, "%s: %s\n", text_.program.c_str(), resolved.error().describe().c_str());
    return exit_code(resolved.error().code);
  }
  if (print_config_) {
    std::fputs(config_text().c_str(), stdout);
    return 0;
  }
  return std::nullopt;
}

bool SettingTable::is_given(std::string_view key) const {
  return std::ranges::any_of(settings_, [&](const Setting& setting) {
    return setting.name.key == key && setting.source != SettingSource::standard;
  });
}

}  // namespace hone
