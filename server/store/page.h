// Lists that are read in pages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

inline constexpr std::int64_t kMaxPageSize = 1000;

// Where to go on and how many to give. The cursor is the next_cursor of the page before, as it was
// given; empty starts at the beginning. A text that is no cursor is invalid_argument at /cursor, a
// limit outside 1..kMaxPageSize invalid_argument at /limit.
struct PageRequest {
  std::string cursor;
  std::int64_t limit = 50;
};

template <class T>
struct Page {
  std::vector<T> items;
  std::string next_cursor;  // empty: there is no more
};

}  // namespace hone
