// Options that take one of a few words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/base/text.h"

namespace hone {

// Of "a, b or c" or "a, b, c", as our texts list choices: refuses every other word and names them,
// and gives completion what to offer.
inline CLI::IsMember one_of(std::string_view choices) {
  std::vector<std::string> words;
  for (const std::string_view piece : split(choices, ',')) {
    std::string_view word = trim(piece);
    if (const std::size_t joint = word.find(" or "); joint != std::string_view::npos) {
      words.emplace_back(trim(word.substr(0, joint)));
      word = trim(word.substr(joint + 4));
    }
    words.emplace_back(word);
  }
  return CLI::IsMember(words);
}

}  // namespace hone
