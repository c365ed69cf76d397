#include "common/base/words.h"

#include <optional>

namespace hone {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

Error unended(std::string_view text, const char* what) {
  constexpr std::size_t kShownBytes = 120;
  return fail(ErrorCode::invalid_argument,
              std::string(what) + " in: " + std::string(text.substr(0, kShownBytes)));
}

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && kBlanks.find(c) != std::string_view::npos) {
      if (word) {
        words.push_back(*std::move(word));
        word.reset();
      }
      continue;
    }
    if (!word) {
      word.emplace();
    }
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'') {
      if (++i == text.size()) {
        return unended(text, "a backslash at the end");
      }
      // Within double quotes it is a character like others before most.
      if (quote == '"' && text[i] != '"' && text[i] != '\\' && text[i] != '$' && text[i] != '`') {
        *word += '\\';
      }
      *word += text[i];
    } else {
      *word += c;
    }
  }
  if (quote != 0) {
    return unended(text, "a quote that does not end");
  }
  if (word) {
    words.push_back(*std::move(word));
  }
  return words;
}

}  // namespace hone
