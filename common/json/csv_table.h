// JSON as comma-separated values (RFC 4180), for people who open it in a spreadsheet. Thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

inline constexpr std::size_t kMaxCsvColumns = 1000;

// A text as a field: in quotes where it needs them. A spreadsheet takes a text that begins with one
// of = + - @ or a tab or carriage return for a formula, and may run it: such a text gets a ' in
// front (OWASP, "CSV Injection").
void append_csv_text(std::string& csv, std::string_view text);

// A table with a header, each line ended by CR LF. Takes
//   [{...}, ...]                       one row an object; nested objects become columns a.b, lists
//                                      their JSON text; a key that an object lacks is an empty
//                                      field
//   {"rows": N, "columns": {"a": []}}  one row a place of the columns
// Numbers and truth values are written bare, null as nothing. invalid_argument for another shape,
// columns of other lengths than N, or more than kMaxCsvColumns.
Result<std::string> csv_table(const Json& table);

}  // namespace hone
