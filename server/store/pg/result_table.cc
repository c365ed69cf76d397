#include "server/store/pg/result_table.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/json/csv_table.h"
#include "common/json/document.h"

namespace hone {
namespace {

enum class CellKind { truth, number, json, text };

// Of PostgreSQL's catalogue (pg_type.dat); they never change.
CellKind kind_of(Oid type) {
  switch (type) {
    case 16:  // boolean
      return CellKind::truth;
    case 20:    // bigint
    case 21:    // smallint
    case 23:    // integer
    case 700:   // real
    case 701:   // double precision
    case 1700:  // numeric
      return CellKind::number;
    case 114:   // json
    case 3802:  // jsonb
      return CellKind::json;
    default:
      return CellKind::text;
  }
}

bool is_finite(std::string_view number) {
  return number.find_first_of("Nn") == std::string_view::npos;  // NaN, Infinity
}

void append_json_text(std::string& out, std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
  if (plain) {
    out.append(1, '"').append(text).append(1, '"');
  } else {
    out += dump_json(Json(std::string(text)));
  }
}

void append_json(std::string& out, CellKind kind, std::optional<std::string_view> value) {
  if (!value) {
    out += "null";
  } else if (kind == CellKind::truth) {
    out += *value == "t" ? "true" : "false";
  } else if (kind == CellKind::number) {
    out += is_finite(*value) ? *value : "null";
  } else if (kind == CellKind::json) {
    out += *value;
  } else {
    append_json_text(out, *value);
  }
}

void append_csv(std::string& out, CellKind kind, std::optional<std::string_view> value) {
  if (!value) {
    return;
  }
  if (kind == CellKind::truth) {
    out += *value == "t" ? "true" : "false";
  } else if (kind == CellKind::number) {
    out += is_finite(*value) ? *value : "";
  } else {
    append_csv_text(out, *value);
  }
}

}  // namespace

std::string columns_json(const PgResult& result) {
  // Row by row, as the answer lies in memory, into a text for each column.
  struct Column {
    CellKind kind;
    std::string text;
  };
  std::vector<Column> columns;
  std::size_t size = 64;
  for (int column = 0; column < result.columns(); ++column) {
    columns.push_back({kind_of(result.column_type(column)), {}});
  }
  for (int row = 0; row < result.size(); ++row) {
    for (int column = 0; column < result.columns(); ++column) {
      Column& into = columns[static_cast<std::size_t>(column)];
      into.text += row == 0 ? "" : ",";
      append_json(into.text, into.kind, result.value(row, column));
    }
  }
  for (const Column& column : columns) {
    size += column.text.size() + 64;
  }
  std::string out = "{\"rows\":" + std::to_string(result.size()) + ",\"columns\":{";
  out.reserve(size);
  for (int column = 0; column < result.columns(); ++column) {
    out += column == 0 ? "" : ",";
    append_json_text(out, result.column_name(column));
    out += ":[";
    out += columns[static_cast<std::size_t>(column)].text;
    out += ']';
  }
  return out + "}}";
}

std::string csv_header(const PgResult& result, int columns) {
  std::string out;
  for (int column = 0; column < columns; ++column) {
    out += column == 0 ? "" : ",";
    append_csv_text(out, result.column_name(column));
  }
  return out + "\r\n";
}

std::string csv_rows(const PgResult& result, int columns) {
  std::string out;
  for (int row = 0; row < result.size(); ++row) {
    for (int column = 0; column < columns; ++column) {
      if (column > 0) {
        out += ',';
      }
      append_csv(out, kind_of(result.column_type(column)), result.value(row, column));
    }
    out += "\r\n";
  }
  return out;
}

}  // namespace hone
