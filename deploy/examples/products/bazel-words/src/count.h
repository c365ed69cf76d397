// How often each word of a text occurs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct WordCount {
  std::string word;
  std::uint64_t count = 0;
};

// Words are runs of ASCII letters, in lower case; the most frequent first, then by name.
std::vector<WordCount> count_words(std::string_view text);
