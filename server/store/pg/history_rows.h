// A hundred thousand results of a history, read and written with as little as can be done to each:
// binary rows of a COPY into columns, columns into JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/store/pg/pg_pool.h"

namespace hone {

// Columns of equal length; what is absent is not a number.
struct HistoryRows {
  std::vector<std::int64_t> at;  // milliseconds since 1970
  std::vector<std::int32_t> version;
  std::vector<float> baseline;
  std::vector<float> candidate;
  std::vector<float> reward;

  std::size_t size() const { return at.size(); }
};

// `select` gives at (timestamptz), version (integer), then baseline, candidate and reward (real).
// It is our own text: nothing that a user wrote may stand in it.
Async<HistoryRows> read_history_rows(PgPool& pool, const std::string& select);

// As columns_json() writes them.
std::string columns_json(const HistoryRows& rows);

}  // namespace hone
