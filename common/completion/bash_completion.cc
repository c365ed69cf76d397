// The script is data, three tables and a function that is the same for every program. Tables are
// keyed by the command so far ("hone job submit"), or by that and an option ("hone job submit
// --stage"):
//
//   commands    subcommands
//   options     options
//   values      what follows an option, or the positional of that number ("hone job show 0", "...
//   *" for
//               all further ones): "words a b c", "ask ARGUMENTS" (the program itself), "file",
//               "any"
#include "common/completion/bash_completion.h"

#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/base/text.h"

namespace hone {
namespace {

// NAME is the program, ID the same as part of a name in bash.
constexpr std::string_view kFunction = R"bash(
_ID_complete() {
  local command='NAME' first='NAME' value='' word key above position=0 i=1
  local cur=${COMP_WORDS[COMP_CWORD]}
  [[ $cur == '=' ]] && cur=
  COMPREPLY=()
  while ((i < COMP_CWORD)); do
    word=${COMP_WORDS[i]}
    if [[ $word == -* ]]; then
      # An option of this command, or of one above it, with its value.
      above=$command
      while :; do
        value=${_ID_values["$above $word"]-}
        [[ -n $value || $above == "$first" ]] && break
        above=${above% *}
      done
      if [[ -n $value ]]; then
        [[ ${COMP_WORDS[i + 1]-} == '=' ]] && ((i += 1))
        ((i + 1 >= COMP_CWORD)) && break
        ((i += 1))
        value=
      fi
    elif [[ " ${_ID_commands["$command"]-} " == *" $word "* ]]; then
      command+=" $word"
      position=0
    elif [[ $word != '=' ]]; then
      ((position += 1))
    fi
    ((i += 1))
  done
  if [[ -z $value && $cur == -* ]]; then
    above=$command
    word=${_ID_options["$above"]-}
    while [[ $above != "$first" ]]; do
      above=${above% *}
      word+=" ${_ID_options["$above"]-}"
    done
    mapfile -t COMPREPLY < <(compgen -W "$word" -- "$cur")
    return
  fi
  if [[ -z $value ]]; then
    if ((position == 0)); then
      mapfile -t COMPREPLY < <(compgen -W "${_ID_commands["$command"]-}" -- "$cur")
    fi
    value=${_ID_values["$command $position"]-${_ID_values["$command *"]-}}
  fi
  case $value in
    'words '*) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "${value#words }" -- "$cur") ;;
    'ask '*)
      # shellcheck disable=SC2086 # words of ours
      word=$("${COMP_WORDS[0]}" ${value#ask } 2>/dev/null </dev/null) &&
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$word" -- "$cur")
      ;;
    file)
      compopt -o filenames 2>/dev/null
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
      ;;
  esac
}
complete -F _ID_complete NAME
)bash";

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string result;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what)) {
    result.append(text.substr(0, at)).append(by);
    text.remove_prefix(at + what.size());
  }
  return result.append(text);
}

std::string in_quotes(std::string_view text) {
  return "'" + replaced(text, "'", R"('\'')") + "'";
}

// The values in a validator's description, "TEXT:{a,b}" or "LEVEL:value in {a->0,b->1}".
std::vector<std::string> choices(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  std::vector<std::string> values;
  if (open == std::string::npos || close == std::string::npos) {
    return values;
  }
  for (const std::string_view item :
       split(std::string_view(type).substr(open + 1, close - open - 1), ',')) {
    const std::string_view value = item.substr(0, item.find("->"));
    if (!value.empty() && value.find_first_of(" \t\n\"\\$`") == std::string_view::npos) {
      values.emplace_back(value);
    }
  }
  return values;
}

std::string value_of(const CLI::Option& option, const CompletionLookups& lookups) {
  if (const auto found = lookups.find(option.get_single_name()); found != lookups.end()) {
    return "ask " + found->second;
  }
  const std::string type = option.get_type_name();
  if (const std::vector<std::string> values = choices(type); !values.empty()) {
    return "words " + join(values, " ");
  }
  // TEXT is what CLI11 says of every string.
  const bool path = type == "TEXT" || type.starts_with("FILE") || type.starts_with("DIR") ||
                    type.starts_with("PATH");
  return path ? "file" : "any";
}

class Tables {
 public:
  explicit Tables(const CompletionLookups& lookups) : lookups_(lookups) {}

  void add(const std::string& command, const CLI::App& app) {
    std::vector<std::string> names;
    std::size_t position = 0;
    for (const CLI::Option* const option : app.get_options()) {
      if (option->get_group().empty()) {
        continue;
      }
      if (!option->nonpositional()) {
        const bool many = option->get_items_expected_max() > 1;
        add_value(command + " " + (many ? std::string("*") : std::to_string(position++)),
                  value_of(*option, lookups_));
        continue;
      }
      for (const std::string& name : option->get_lnames()) {
        names.push_back("--" + name);
      }
      for (const std::string& name : option->get_snames()) {
        names.push_back("-" + name);
      }
      if (option->get_items_expected_max() > 0) {
        for (const std::string& name : option->get_lnames()) {
          add_value(command + " --" + name, value_of(*option, lookups_));
        }
        for (const std::string& name : option->get_snames()) {
          add_value(command + " -" + name, value_of(*option, lookups_));
        }
      }
    }
    options_ += entry(command, join(names, " "));
    std::vector<std::string> commands;
    for (const CLI::App* const below : app.get_subcommands([](const CLI::App*) { return true; })) {
      if (!below->get_group().empty() && !below->get_name().empty()) {
        commands.push_back(below->get_name());
        add(command + " " + below->get_name(), *below);
      }
    }
    commands_ += entry(command, join(commands, " "));
  }

  std::string text(std::string_view id) const {
    return table(id, "commands", commands_) + table(id, "options", options_) +
           table(id, "values", values_);
  }

 private:
  static std::string entry(const std::string& key, const std::string& value) {
    return value.empty() ? "" : "  [" + in_quotes(key) + "]=" + in_quotes(value) + "\n";
  }
  void add_value(const std::string& key, const std::string& value) { values_ += entry(key, value); }
  static std::string table(std::string_view id, std::string_view name, const std::string& entries) {
    return "declare -gA _" + std::string(id) + "_" + std::string(name) + "=(\n" + entries + ")\n";
  }

  const CompletionLookups& lookups_;
  std::string commands_;
  std::string options_;
  std::string values_;
};

}  // namespace

std::string bash_completion(const CLI::App& app, const CompletionLookups& lookups) {
  const std::string& name = app.get_name();
  const std::string id = replaced(name, "-", "_");
  Tables tables(lookups);
  tables.add(name, app);
  return "# Completion of " + name + " for bash: what the program told of itself.\n" +
         tables.text(id) + replaced(replaced(kFunction, "NAME", name), "_ID_", "_" + id + "_");
}

void add_bash_completion(CLI::App& app) {
  // The way in which CLI11 itself ends a parse with a text and success.
  const auto print = [&app] { throw CLI::CallForVersion(bash_completion(app), 0); };
  app.add_flag_callback("--bash-completion", print, "Print this program's completion for bash")
      ->configurable(false);
}

}  // namespace hone
