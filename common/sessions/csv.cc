#include "common/sessions/csv.h"

#include <algorithm>

namespace hone {

void CsvReader::end_line() {
  const std::size_t end = rest_.find('\n');
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++next_line_;
}

Result<std::string> CsvReader::quoted() {
  std::string text;
  rest_.remove_prefix(1);
  for (std::size_t lines = 0;;) {
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) {
      rest_ = {};
      return fail(ErrorCode::invalid_argument,
                  "line " + std::to_string(line_) + ": a quote (\") does not end");
    }
    const std::string_view piece = rest_.substr(0, end);
    lines += static_cast<std::size_t>(std::ranges::count(piece, '\n'));
    text += piece;
    rest_.remove_prefix(end + 1);
    if (!rest_.starts_with('"')) {
      next_line_ += lines;
      break;
    }
    text += '"';
    rest_.remove_prefix(1);
  }
  const bool at_end =
      rest_.empty() || rest_.front() == ',' || rest_.front() == '\n' || rest_.starts_with("\r\n");
  if (!at_end) {
    end_line();
    return fail(ErrorCode::invalid_argument,
                "line " + std::to_string(line_) +
                    ": text stands behind a closing quote (a quote within one is doubled)");
  }
  return text;
}

Result<std::string> CsvReader::field() {
  if (rest_.starts_with('"')) {
    return quoted();
  }
  const std::string_view text = rest_.substr(0, rest_.find_first_of(",\r\n"));
  rest_.remove_prefix(text.size());
  return std::string(text);
}

Result<std::optional<CsvRow>> CsvReader::next() {
  while (rest_.starts_with('\n') || rest_.starts_with("\r\n")) {
    end_line();
  }
  if (rest_.empty()) {
    return std::optional<CsvRow>();
  }
  line_ = next_line_;
  CsvRow row{line_, {}};
  for (;;) {
    HONE_TRY(std::string text, field());
    row.fields.push_back(std::move(text));
    if (!rest_.starts_with(',')) {
      break;
    }
    rest_.remove_prefix(1);
  }
  if (!rest_.empty()) {
    end_line();
  }
  return std::optional(std::move(row));
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace hone
