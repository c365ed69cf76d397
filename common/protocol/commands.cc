#include "common/protocol/commands.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/json/pointer.h"

namespace hone {
namespace {

constexpr std::size_t kMaxCommands = 64;
constexpr TextLimits kArgument{.min_size = 0, .max_size = 8192};

constexpr std::array<std::string_view, 6> kWords{"{source}", "{build}", "{cc}",
                                                 "{cxx}",    "{jobs}",  "{input}"};

// The {word} that starts at `at`, or "" if the brace there starts none.
std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') || text[end] == '_')) {
    ++end;
  }
  const bool closed = end < text.size() && text[end] == '}' && end > at + 1;
  return closed ? text.substr(at, end + 1 - at) : std::string_view();
}

// Calls `take` with every {word} of one argument.
template <class Take>
void each_word(std::string_view text, Take take) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at)) {
    if (text.substr(at, 2) == "{{") {
      at += 2;
      continue;
    }
    const std::string_view word = word_at(text, at);
    if (!word.empty()) {
      take(word);
    }
    at += std::max<std::size_t>(word.size(), 1);
  }
}

// Checks program and {words} of a command that stands at `pointer`.
void check_command(ObjectReader& reader, const std::string& pointer, const Arguments& command,
                   InputWord input) {
  if (command.empty() || command.front().empty()) {
    reader.problems().add(pointer, "must be a list of texts, the program first");
    return;
  }
  for (std::size_t i = 0; i < command.size(); ++i) {
    each_word(command[i], [&](std::string_view word) {
      const bool known = std::ranges::find(kWords, word) != kWords.end();
      if (!known || (word == "{input}" && input == InputWord::refused)) {
        reader.problems().add(
            child_pointer(pointer, std::to_string(i)),
            std::string(word) + " is not known here; known are {source} {build} {cc} {cxx} {jobs}" +
                (input == InputWord::allowed ? " {input}" : "") + ", and {{ for a brace");
      }
    });
  }
}

}  // namespace

Arguments read_command(ObjectReader& reader, InputWord input) {
  Arguments command = reader.text_list("command", kMaxCommandArguments, kArgument);
  const Json* const list = reader.find("command");
  if (list != nullptr && list->is_array()) {
    check_command(reader, child_pointer(reader.pointer(), "command"), command, input);
  }
  return command;
}

std::vector<Arguments> read_commands(ObjectReader& reader, std::string_view key) {
  std::vector<Arguments> commands;
  const Json* list = reader.find(key);
  if (list == nullptr) {
    return commands;
  }
  if (!list->is_array() || list->size() > kMaxCommands) {
    reader.refuse(key, "must be a list of at most " + std::to_string(kMaxCommands) + " commands");
    return commands;
  }
  const std::string pointer = child_pointer(reader.pointer(), key);
  for (std::size_t i = 0; i < list->size(); ++i) {
    // The reader of lists works on a key of an object: lend it one.
    const Json holder{{"command", (*list)[i]}};
    Problems found;
    ObjectReader item(holder, "", found, UnknownKeys::ignore);
    Arguments command = item.text_list("command", kMaxCommandArguments, kArgument);
    const std::string item_pointer = child_pointer(pointer, std::to_string(i));
    for (const FieldProblem& problem : found.list()) {
      reader.problems().add(item_pointer + problem.pointer.substr(sizeof("/command") - 1),
                            problem.detail);
    }
    if (found.empty()) {
      check_command(reader, item_pointer, command, InputWord::refused);
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

bool has_word(const Arguments& command, std::string_view wanted) {
  bool found = false;
  for (const std::string& argument : command) {
    each_word(argument, [&](std::string_view word) { found |= word == wanted; });
  }
  return found;
}

Result<Arguments> expand(const Arguments& command, const std::vector<Placeholder>& words) {
  Arguments expanded;
  expanded.reserve(command.size());
  for (const std::string& argument : command) {
    std::string text;
    for (std::size_t at = 0; at < argument.size();) {
      if (argument.compare(at, 2, "{{") == 0) {
        text.push_back('{');
        at += 2;
        continue;
      }
      const std::string_view word =
          argument[at] == '{' ? word_at(argument, at) : std::string_view();
      if (word.empty()) {
        text.push_back(argument[at++]);
        continue;
      }
      const auto known = std::ranges::find(words, word, &Placeholder::word);
      if (known == words.end()) {
        return fail(
            ErrorCode::invalid_argument,
            std::string(word) + " is not known in the command argument \"" + argument + "\"");
      }
      text += known->value;
      at += word.size();
    }
    expanded.push_back(std::move(text));
  }
  return expanded;
}

}  // namespace hone
