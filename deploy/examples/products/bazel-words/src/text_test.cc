#include <cstdio>

#include "src/count.h"
#include "src/distance.h"

namespace {

int wrong = 0;

void expect(bool right, const char* what) {
  if (!right) {
    std::printf("WRONG: %s\n", what);
    ++wrong;
  }
}

}  // namespace

int main() {
  const std::vector<WordCount> words = count_words("The cat, the hat; a cat the");
  expect(words.size() == 4, "four words");
  expect(words[0].word == "the" && words[0].count == 3, "the most frequent first");
  expect(words[1].word == "cat" && words[1].count == 2, "then the next");
  expect(words[2].word == "a" && words[3].word == "hat", "equals by name");
  expect(count_words("").empty() && count_words("1 2, 3").empty(), "no words");
  expect(edit_distance("kitten", "sitting") == 3, "kitten to sitting");
  expect(edit_distance("", "abc") == 3 && edit_distance("abc", "abc") == 0, "the ends");
  return wrong == 0 ? 0 : 1;
}
