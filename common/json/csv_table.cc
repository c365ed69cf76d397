#include "common/json/csv_table.h"

#include <map>
#include <vector>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kFormulaStarts("=+-@\t\r", 6);

void append_value(std::string& csv, const Json& value) {
  if (value.is_null()) {
    return;
  }
  if (value.is_string()) {
    append_csv_text(csv, value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    append_csv_text(csv, dump_json(value));
  } else {
    csv += dump_json(value);
  }
}

// Columns in the order in which they are met, so that related ones stand together.
class Header {
 public:
  std::size_t place(const std::string& name) {
    const auto [entry, added] = places_.try_emplace(name, names_.size());
    if (added) {
      names_.push_back(name);
    }
    return entry->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> names_;
};

using FlatRow = std::map<std::size_t, const Json*>;

void flatten(const Json& object, const std::string& prefix, Header& header, FlatRow& row) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object() && !value.empty()) {
      flatten(value, prefix + key + ".", header, row);
    } else {
      row[header.place(prefix + key)] = &value;
    }
  }
}

void append_header(std::string& csv, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    csv += i == 0 ? "" : ",";
    append_csv_text(csv, names[i]);
  }
  csv += kLineEnd;
}

Result<std::string> of_objects(const Json& items) {
  Header header;
  std::vector<FlatRow> rows;
  rows.reserve(items.size());
  for (const Json& item : items) {
    if (!item.is_object()) {
      return fail(ErrorCode::invalid_argument, "a row of a table must be an object");
    }
    flatten(item, "", header, rows.emplace_back());
    if (header.names().size() > kMaxCsvColumns) {
      return fail(ErrorCode::invalid_argument,
                  "a table may have " + std::to_string(kMaxCsvColumns) + " columns at most");
    }
  }
  // Of a field that is an object in one row and null in another only the parts are columns.
  std::vector<std::size_t> shown;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < header.names().size(); ++i) {
    const std::string& name = header.names()[i];
    bool parent = false;
    for (const std::string& other : header.names()) {
      parent = parent ||
               (other.size() > name.size() && other.starts_with(name) && other[name.size()] == '.');
    }
    if (!parent) {
      shown.push_back(i);
      names.push_back(name);
    }
  }
  std::string csv;
  append_header(csv, names);
  for (const FlatRow& row : rows) {
    for (std::size_t i = 0; i < shown.size(); ++i) {
      csv += i == 0 ? "" : ",";
      const auto value = row.find(shown[i]);
      if (value != row.end()) {
        append_value(csv, *value->second);
      }
    }
    csv += kLineEnd;
  }
  return csv;
}

Result<std::string> of_columns(const Json& table) {
  const std::size_t size = table["rows"].get<std::size_t>();
  std::vector<std::string> names;
  std::vector<const Json*> columns;
  for (const auto& [name, column] : table["columns"].items()) {
    if (!column.is_array() || column.size() != size) {
      return fail(ErrorCode::invalid_argument, "the column \"" + name + "\" must be a list of " +
                                                   std::to_string(size) + " values");
    }
    names.push_back(name);
    columns.push_back(&column);
  }
  std::string csv;
  append_header(csv, names);
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      csv += i == 0 ? "" : ",";
      append_value(csv, (*columns[i])[row]);
    }
    csv += kLineEnd;
  }
  return csv;
}

}  // namespace

void append_csv_text(std::string& csv, std::string_view text) {
  const bool formula = !text.empty() && kFormulaStarts.find(text.front()) != std::string_view::npos;
  if (!formula && text.find_first_of("\",\r\n") == std::string_view::npos) {
    csv += text;
    return;
  }
  csv += '"';
  csv += formula ? "'" : "";
  for (const char c : text) {
    csv += c;
    if (c == '"') {
      csv += '"';
    }
  }
  csv += '"';
}

Result<std::string> csv_table(const Json& table) {
  if (table.is_array()) {
    return of_objects(table);
  }
  if (table.is_object() && table.contains("rows") && table["rows"].is_number_unsigned() &&
      table.contains("columns") && table["columns"].is_object()) {
    return of_columns(table);
  }
  return fail(ErrorCode::invalid_argument, "no table: neither a list of objects nor columns");
}

}  // namespace hone
