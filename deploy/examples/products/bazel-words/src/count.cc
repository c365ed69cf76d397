#include "src/count.h"

#include <algorithm>

namespace {

struct Slot {
  std::uint64_t hash = 0;
  WordCount entry;  // count 0: free
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char lower(char c) {
  return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

// Open addressing; a power of two slots, at most half of them taken.
class Table {
 public:
  Table() : slots_(1024) {}

  void add(const std::string& word, std::uint64_t hash) {
    Slot& slot = find(word, hash);
    if (slot.entry.count++ == 0) {
      slot.hash = hash;
      slot.entry.word = word;
      if (++used_ * 2 > slots_.size()) {
        grow();
      }
    }
  }

  std::vector<WordCount> entries() const {
    std::vector<WordCount> result;
    for (const Slot& slot : slots_) {
      if (slot.entry.count > 0) {
        result.push_back(slot.entry);
      }
    }
    return result;
  }

 private:
  Slot& find(const std::string& word, std::uint64_t hash) {
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.entry.count == 0 || (slot.hash == hash && slot.entry.word == word)) {
        return slot;
      }
    }
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.entry.count > 0) {
        find(slot.entry.word, slot.hash) = slot;
      }
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace

std::vector<WordCount> count_words(std::string_view text) {
  Table table;
  std::string word;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && is_letter(text[i])) {
      word += lower(text[i]);
      hash = (hash ^ static_cast<unsigned char>(word.back())) * 0x9e3779b97f4a7c15U;
    } else if (!word.empty()) {
      table.add(word, hash ^ (hash >> 29U));
      word.clear();
      hash = 0;
    }
  }
  std::vector<WordCount> entries = table.entries();
  std::sort(entries.begin(), entries.end(), [](const WordCount& a, const WordCount& b) {
    return a.count != b.count ? a.count > b.count : a.word < b.word;
  });
  return entries;
}
