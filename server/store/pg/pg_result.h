// Rows of an answer, read by column name.
//
// A getter that names a column which is not there, or reads a null or a text of another shape,
// meets a bug of ours (the statement and the code that reads it disagree): it throws
// std::logic_error naming the column.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <libpq-fe.h>

#include "common/json/document.h"

namespace hone {

class PgRow {
 public:
  PgRow(const PGresult* result, int row) : result_(result), row_(row) {}

  bool is_null(const char* column) const;
  // Valid as long as the PgResult.
  std::string_view view(const char* column) const;
  std::string text(const char* column) const { return std::string(view(column)); }
  // Empty for null.
  std::string text_or_empty(const char* column) const;
  std::int64_t integer(const char* column) const;
  std::uint64_t unsigned_integer(const char* column) const;
  double number(const char* column) const;
  bool truth(const char* column) const;
  Json json(const char* column) const;

  std::optional<std::string> optional_text(const char* column) const;
  std::optional<std::int64_t> optional_integer(const char* column) const;
  std::optional<double> optional_number(const char* column) const;

  // A value of an enumeration type.
  template <class Enum>
  Enum one_of(const char* column, std::optional<Enum> (*parse)(std::string_view)) const {
    const std::optional<Enum> value = parse(view(column));
    if (!value) {
      refuse(column, "an unknown spelling");
    }
    return *value;
  }
  template <class Enum>
  std::optional<Enum> optional_one_of(const char* column,
                                      std::optional<Enum> (*parse)(std::string_view)) const {
    return is_null(column) ? std::nullopt : std::optional<Enum>(one_of(column, parse));
  }

 private:
  int index_of(const char* column) const;
  [[noreturn]] void refuse(const char* column, const char* what) const;

  const PGresult* result_;
  int row_;
};

class PgResult {
 public:
  PgResult() = default;
  explicit PgResult(PGresult* result) : result_(result, &PQclear) {}

  int size() const { return result_ ? PQntuples(result_.get()) : 0; }
  bool empty() const { return size() == 0; }
  int columns() const { return result_ ? PQnfields(result_.get()) : 0; }
  const char* column_name(int index) const { return PQfname(result_.get(), index); }
  // The number of a column's type in the server's catalogue.
  Oid column_type(int index) const { return PQftype(result_.get(), index); }
  // A value by its place, as text; nothing for null. Valid as long as this.
  std::optional<std::string_view> value(int row, int column) const {
    if (PQgetisnull(result_.get(), row, column) != 0) {
      return std::nullopt;
    }
    return std::string_view(PQgetvalue(result_.get(), row, column),
                            static_cast<std::size_t>(PQgetlength(result_.get(), row, column)));
  }
  PgRow row(int index) const { return {result_.get(), index}; }
  // The first row; there must be one.
  PgRow first() const;
  // Rows that an INSERT, UPDATE or DELETE touched.
  std::int64_t affected() const;
  // "COMMIT", "INSERT 0 1", ...
  std::string_view command() const;

 private:
  std::unique_ptr<PGresult, decltype(&PQclear)> result_{nullptr, &PQclear};
};

}  // namespace hone
