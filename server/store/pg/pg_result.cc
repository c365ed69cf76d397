#include "server/store/pg/pg_result.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

template <class Number>
bool parse_whole(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

int PgRow::index_of(const char* column) const {
  const int index = PQfnumber(result_, column);
  if (index < 0) {
    refuse(column, "not in the answer");
  }
  return index;
}

void PgRow::refuse(const char* column, const char* what) const {
  throw std::logic_error("column '" + std::string(column) + "' is " + what);
}

bool PgRow::is_null(const char* column) const {
  return PQgetisnull(result_, row_, index_of(column)) != 0;
}

std::string_view PgRow::view(const char* column) const {
  const int index = index_of(column);
  if (PQgetisnull(result_, row_, index) != 0) {
    refuse(column, "null");
  }
  return {PQgetvalue(result_, row_, index),
          static_cast<std::size_t>(PQgetlength(result_, row_, index))};
}

std::string PgRow::text_or_empty(const char* column) const {
  return is_null(column) ? std::string() : text(column);
}

std::int64_t PgRow::integer(const char* column) const {
  std::int64_t value = 0;
  if (!parse_whole(view(column), value)) {
    refuse(column, "no integer");
  }
  return value;
}

std::uint64_t PgRow::unsigned_integer(const char* column) const {
  std::uint64_t value = 0;
  if (!parse_whole(view(column), value)) {
    refuse(column, "no unsigned integer");
  }
  return value;
}

double PgRow::number(const char* column) const {
  double value = 0;
  if (!parse_whole(view(column), value)) {
    refuse(column, "no number");
  }
  return value;
}

bool PgRow::truth(const char* column) const {
  const std::string_view value = view(column);
  if (value != "t" && value != "f") {
    refuse(column, "no truth value");
  }
  return value == "t";
}

Json PgRow::json(const char* column) const {
  // What we stored is within limits; the server's text of a jsonb may be longer than what we sent.
  auto document = parse_json(view(column), {.bytes = std::size_t{1} << 30U, .depth = 128});
  if (!document) {
    refuse(column, "no JSON document");
  }
  return *std::move(document);
}

std::optional<std::string> PgRow::optional_text(const char* column) const {
  return is_null(column) ? std::nullopt : std::optional<std::string>(text(column));
}

std::optional<std::int64_t> PgRow::optional_integer(const char* column) const {
  return is_null(column) ? std::nullopt : std::optional<std::int64_t>(integer(column));
}

std::optional<double> PgRow::optional_number(const char* column) const {
  return is_null(column) ? std::nullopt : std::optional<double>(number(column));
}

PgRow PgResult::first() const {
  if (empty()) {
    throw std::logic_error("a statement that always gives a row gave none");
  }
  return row(0);
}

std::int64_t PgResult::affected() const {
  std::int64_t count = 0;
  // Empty for statements that touch no rows; that is 0.
  parse_whole(std::string_view(PQcmdTuples(result_.get())), count);
  return count;
}

std::string_view PgResult::command() const {
  return result_ ? PQcmdStatus(result_.get()) : std::string_view();
}

}  // namespace hone
