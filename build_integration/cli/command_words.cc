#include "build_integration/cli/command_words.h"

namespace hone {
namespace {

Error refused(std::string_view text, const std::string& why) {
  return Error{ErrorCode::invalid_argument, "command '" + std::string(text) + "': " + why, {}};
}

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kShell = "|&;<>()$`*?";

}  // namespace

Result<std::vector<std::string>> command_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\0') {
      return refused(text.substr(0, i), "a NUL byte cannot stand in a command");
    }
    if (quote != 0) {
      const bool escapes = quote == '"' && c == '\\' && i + 1 < text.size() &&
                           std::string_view("\\\"$`").find(text[i + 1]) != std::string_view::npos;
      if (c == quote) {
        quote = 0;
      } else {
        word += escapes ? text[++i] : c;
      }
      continue;
    }
    if (kBlanks.find(c) != std::string_view::npos) {
      if (in_word) {
        words.push_back(std::move(word));
        word.clear();
      }
      in_word = false;
      continue;
    }
    if (kShell.find(c) != std::string_view::npos) {
      return refused(text, std::string("'") + c +
                               "' is for a shell, and none is used: quote it, or give sh -c '...'");
    }
    in_word = true;
    if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '\\') {
      if (i + 1 == text.size()) {
        return refused(text, "it ends with a backslash");
      }
      word += text[++i];
    } else {
      word += c;
    }
  }
  if (quote != 0) {
    return refused(text, std::string("a quote ") + quote + " is not closed");
  }
  if (in_word) {
    words.push_back(std::move(word));
  }
  if (words.empty() || words.front().empty()) {
    return refused(text, "it names no program");
  }
  return words;
}

}  // namespace hone
