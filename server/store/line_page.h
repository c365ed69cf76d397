// Streams of the store as they are handed on: lines of JSON that PostgreSQL made, oldest first,
// which pass through unread.
//
// Rows become visible when their transaction commits, not in the order they were numbered. A cursor
// is therefore (transaction, row), and a read stops before the oldest transaction that still runs:
// what commits later lies behind the cursor of everybody, never before it. It says which database
// it is from, since the numbers mean nothing to another one.
#pragma once

#include <cstdint>
#include <string>

#include "server/store/reader.h"

namespace hone {

// The rows behind a cursor ("" is the beginning): at most so many, and none more once their lines
// have so many bytes, so that one line may go past it and there is always one if there is any.
struct LineRequest {
  std::string after;
  std::int64_t rows = 1000;
  std::int64_t bytes = std::int64_t{2} << 20;
  Reader reader{};  // who sees some targets only gets their lines
};

struct LinePage {
  std::string lines;        // each {"cursor":"...",...} and ended by '\n'
  std::int64_t count = 0;   // 0: there is no more by now
  std::string next_cursor;  // of the last line; the one asked with if there is none
};

}  // namespace hone
