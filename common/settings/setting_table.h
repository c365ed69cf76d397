// All settings of one program in one table: what each is called as a flag, in the environment and
// in a file, what it may be, and what it is for. From it come the command line, the file's checks,
// the list of values with their sources, and the reference page.
//
//   SettingTable table({.program = "honed", .environment_prefix = "HONED_", ...});
//   table.section("Leases");
//   table.add({.key = "lease_seconds", .unit = "SECONDS", .help = "..."}, options.lease_seconds,
//             WholeNumbers{1, 86'400});
//   if (const auto end = table.read(app, argc, argv)) return *end;
//
// What is wrong with a value is told with its place, all mistakes at once, and before the program
// makes anything: what a type does not say is said by a check. A setting is bound to a variable,
// which holds the default until read() and the value after it. A flag beats the environment, which
// beats the file, which beats the default. Not thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/settings/setting_values.h"

namespace CLI {
class App;
}

namespace hone {

struct SettingName {
  std::string key;               // in a file, "lease_seconds"; the flag is --lease-seconds
  std::string unit = {};         // of the value, in capitals: "SECONDS", "DIR", "URL"
  std::string help;              // one sentence or two
  std::string environment = {};  // default: the program's prefix and the key in capitals
  std::string default_text =
      {};               // for people, where the default is the machine's ("the host's name")
  bool secret = false;  // never shown
  // What else a value, not empty, must be: invalid_argument, without the value if that is a secret.
  std::function<Result<void>(const std::string&)> check = {};
};

enum class SettingSource { standard, file, environment, flag };

struct ProgramText {
  std::string program;             // "honed"
  std::string version;             // "0.1.0"
  std::string environment_prefix;  // "HONED_"
  std::string reference_intro;     // first paragraph of its part of the reference page
};

// One line of the table.
struct Setting {
  SettingName name;
  std::string section;
  std::string values;                // what it may be, for people: "whole number, 1 to 86400"
  std::vector<std::string> choices;  // where it is one of a few words
  SettingShape shape = SettingShape::one;
  std::function<Result<void>(const std::vector<std::string>&)> assign;
  std::function<Json()> show;  // the variable's value now
  std::string standard;        // the default, for people
  SettingSource source = SettingSource::standard;
  std::string place;               // of the source: "/etc/hone/honed.yaml line 3"
  std::vector<std::string> given;  // by flag
  std::string given_flag;          // by a flag that is on or off
};

// What settings say together: adds what is wrong, each with the "/key" of the setting to change.
using SettingsCheck = std::function<void(std::vector<FieldProblem>&)>;

class SettingTable {
 public:
  explicit SettingTable(ProgramText text);
  SettingTable(const SettingTable&) = delete;
  SettingTable& operator=(const SettingTable&) = delete;

  // Settings that follow stand under this heading.
  void section(std::string title) { section_ = std::move(title); }

  void add(SettingName name, std::string& value);
  void add(SettingName name, std::filesystem::path& value);
  void add(SettingName name, bool& value);
  void add(SettingName name, std::int64_t& value, WholeNumbers range);
  void add(SettingName name, std::uint64_t& value, WholeNumbers range);
  void add(SettingName name, int& value, WholeNumbers range);
  // Lists: a flag may be repeated, a variable of the environment separates by commas.
  void add(SettingName name, std::vector<std::string>& value);
  void add(SettingName name, std::vector<int>& value, WholeNumbers range);
  template <class Enum>
  void add(SettingName name, Enum& value,
           const std::vector<std::pair<std::string, Enum>>& choices) {
    std::vector<std::string> spellings;
    spellings.reserve(choices.size());
    for (const auto& [spelling, meaning] : choices) {
      spellings.push_back(spelling);
    }
    add_choice(
        std::move(name), std::move(spellings),
        [&value, choices](std::size_t chosen) { value = choices[chosen].second; },
        [&value, choices] {
          std::size_t at = 0;
          while (at + 1 < choices.size() && choices[at].second != value) {
            ++at;
          }
          return at;
        });
  }

  // Checks run in their order once every single value is good, and none behind one that finds
  // fault.
  void add_check(SettingsCheck check) { checks_.push_back(std::move(check)); }

  // Adds the flags, --config, --print-config, --print-reference and --version to `app`, parses, and
  // then reads environment and file. Nothing if the program is to go on; else the exit code to end
  // with (0 after --help and the like; 2 for a mistake, which was told on standard error).
  std::optional<int> read(CLI::App& app, int argc, const char* const* argv);

  // The steps of read(), for tests. invalid_argument naming every bad value with its place.
  void add_flags(CLI::App& app);
  Result<void> resolve();

  // Variables of the environment that have the program's prefix and are none of its settings, each
  // in a sentence with the one that may have been meant. Not those that Kubernetes makes of the
  // names of services. Filled by read().
  const std::vector<std::string>& strangers() const { return strangers_; }
  // Whether anybody gave it.
  bool is_given(std::string_view key) const;
  // What --print-config and --print-reference print. The former is a file that says what is in
  // force, but for secrets: a default that the program makes up itself stands there as a comment.
  std::string config_text() const;
  std::string reference_text() const;

 private:
  Setting& add_setting(SettingName name, std::string values, SettingShape shape);
  void add_choice(SettingName name, std::vector<std::string> spellings,
                  std::function<void(std::size_t)> set, std::function<std::size_t()> get);
  void read_file(std::vector<FieldProblem>& problems);
  void find_strangers();
  void run_checks(std::vector<FieldProblem>& problems) const;
  void take(Setting& setting, const std::vector<std::string>& texts, SettingSource source,
            std::string place, std::vector<FieldProblem>& problems);

  ProgramText text_;
  std::string section_;
  std::list<Setting> settings_;  // CLI11 holds addresses
  std::vector<SettingsCheck> checks_;
  std::vector<std::string> strangers_;
  std::string config_;
  bool print_config_ = false;
  bool print_reference_ = false;
};

}  // namespace hone
