// Comma-separated values as RFC 4180 and Python's csv module have them: a field in double quotes
// may hold commas, line ends and doubled quotes. Not thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct CsvRow {
  std::size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};

class CsvReader {
 public:
  // `text` must outlive the reader.
  explicit CsvReader(std::string_view text) : rest_(text) {}

  // The next row; blank lines are passed over; nothing at the end. invalid_argument with the line
  // for a quote that does not end or with text behind its end: the row is lost, the ones behind it
  // are still read.
  Result<std::optional<CsvRow>> next();
  // Where the row that next() returned or refused last begins.
  std::size_t line() const { return line_; }

 private:
  Result<std::string> field();
  Result<std::string> quoted();
  // Past the line end, or to the end of the text.
  void end_line();

  std::string_view rest_;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
};

// As the field of a row, in quotes where it needs them.
std::string csv_field(std::string_view text);

}  // namespace hone
