// An answer as a table in text, without a document of it being made first: tables of views have
// tens of thousands of rows.
#pragma once

#include <string>

#include "server/store/pg/pg_result.h"

namespace hone {

// {"rows":N,"columns":{"name":[...],...}}. Numbers, truth values and JSON stand as they are, what
// is no finite number as null, everything else as text.
std::string columns_json(const PgResult& result);

// The first `columns` columns as CSV, each line ended by CR LF; csv_header() is the line before the
// first.
std::string csv_header(const PgResult& result, int columns);
std::string csv_rows(const PgResult& result, int columns);

}  // namespace hone
