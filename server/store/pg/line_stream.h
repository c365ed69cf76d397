// Reading a table of the store by cursor, as lines.
#pragma once

#include <string>

#include "server/store/async.h"
#include "server/store/line_page.h"

namespace hone {

// The table is `s` in both; it has the columns transaction and number, its primary key.
struct LineSource {
  std::string name;  // for messages
  std::string line;  // SQL: a row's JSON object as text, without line breaks
  std::string from;  // SQL: the table and what is joined to it, one row for each of its own
  // SQL: whether a reader sees the row, who sees some targets only. {0} stands for the array of
  // their names, {1} for the id of the reader's token.
  std::string seen;
};

// As LineRequest says. invalid_argument at /after for what is no cursor, or one of another
// database; at /limit for numbers below 1.
Async<LinePage> read_lines(PgPool& pool, const LineSource& source, LineRequest wanted);

}  // namespace hone
