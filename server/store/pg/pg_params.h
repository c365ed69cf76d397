// Parameters of a statement, in order: PgParams().text(name).integer(5).null(). Values own their
// text.
//
// PostgreSQL holds UTF-8 without NUL. Text comes from compilers and benchmarks too, so that what it
// cannot hold is replaced by U+FFFD here, once, rather than refused: a result is not lost for one
// byte of a log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/json/document.h"

namespace hone {

// The text with NULs and bytes that are not UTF-8 replaced by U+FFFD.
std::string storable_text(std::string_view text);
// A JSON document as text that jsonb takes: the escape \\u0000 replaced likewise.
std::string storable_json_text(const Json& document);

class PgParams {
 public:
  PgParams& null();
  PgParams& text(std::string_view value);
  PgParams& integer(std::int64_t value);
  PgParams& unsigned_integer(std::uint64_t value);
  PgParams& number(double value);  // reads back bit for bit
  PgParams& truth(bool value);
  PgParams& json(const Json& value);
  PgParams& integer(std::optional<std::int64_t> value);
  PgParams& number(std::optional<double> value);
  // null for "": identifiers and names that are absent.
  PgParams& text_or_null(std::string_view value);

  // Arrays, for unnest() and any().
  PgParams& text_array(const std::vector<std::string>& values);
  // null for nothing.
  PgParams& text_array(const std::optional<std::vector<std::string>>& values);
  PgParams& integer_array(const std::vector<std::int64_t>& values);
  PgParams& number_array(const std::vector<std::optional<double>>& values);
  PgParams& truth_array(const std::vector<bool>& values);

  int size() const { return static_cast<int>(values_.size()); }
  // For libpq; valid until the next change.
  std::vector<const char*> pointers() const;

 private:
  std::vector<std::optional<std::string>> values_;
};

}  // namespace hone
