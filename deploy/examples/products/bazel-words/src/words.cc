// words FILE: how many words a text has, the ten most frequent ones, and the pairs among the 1500
// most frequent that differ in one letter.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "src/count.h"
#include "src/distance.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: words FILE\n", stderr);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "words: cannot read %s\n", argv[1]);
    return 1;
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::vector<WordCount> words = count_words(text);
  std::printf("%zu words\n", words.size());
  for (std::size_t i = 0; i < words.size() && i < 10; ++i) {
    std::printf("%8llu %s\n", static_cast<unsigned long long>(words[i].count),
                words[i].word.c_str());
  }
  unsigned alike = 0;
  for (std::size_t i = 0; i < words.size() && i < 1500; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      alike += edit_distance(words[i].word, words[j].word) == 1 ? 1U : 0U;
    }
  }
  std::printf("%u pairs differ in one letter\n", alike);
}
