#include "server/api/table_reply.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/json/csv_table.h"
#include "server/api/cpu_pool.h"

namespace hone {
namespace {

// A whole history is larger than what clients may send.
constexpr JsonLimits kOwnDocument{std::size_t{512} << 20U, 64};

std::optional<TableFormat> parse_format(std::string_view text) {
  if (text == "json") {
    return TableFormat::json;
  }
  return text == "csv" ? std::optional(TableFormat::csv) : std::nullopt;
}

Result<std::string> csv_of_view(const std::string& document, const std::string& table) {
  HONE_TRY(const Json view, parse_json(document, kOwnDocument));
  const Json* at = &view;
  for (const std::string_view part : split(table, '.')) {
    if (!at->is_object() || !at->contains(part)) {
      return csv_table(Json::array());
    }
    at = &(*at)[std::string(part)];
  }
  // One object is a table of one row.
  const bool one = at->is_object() && !at->contains("columns");
  return csv_table(one ? Json::array({*at}) : at->is_null() ? Json::array() : *at);
}

}  // namespace

TableFormat table_format(RequestValues& values) {
  return values.one_of("format", parse_format, "json, csv").value_or(TableFormat::json);
}

Reply csv_reply(std::string csv, const std::string& name) {
  Reply reply;
  reply.content_type = "text/csv; charset=utf-8; header=present";
  reply.headers.emplace_back("Content-Disposition", "attachment; filename=\"" + name + ".csv\"");
  reply.body = std::move(csv);
  return reply;
}

Result<Reply> list_reply(Json items, TableFormat format, const std::string& name) {
  if (format == TableFormat::json) {
    return json_reply(Json{{"items", std::move(items)}});
  }
  HONE_TRY(std::string csv, csv_table(items));
  return csv_reply(std::move(csv), name);
}

TableWish table_wish(RequestValues& values, const std::vector<std::string>& tables) {
  TableWish wish{table_format(values), tables.front()};
  if (const std::optional<std::string> table = values.text("table")) {
    wish.table = *table;
    if (std::ranges::find(tables, *table) == tables.end()) {
      values.refuse("table", "\"" + *table + "\" is not one of " + join(tables, ", "));
    }
  }
  return wish;
}

Async<Reply> view_reply(std::string document, TableWish wish) {
  if (wish.format == TableFormat::json) {
    Reply reply;
    reply.body = std::move(document);
    co_return reply;
  }
  const auto work = [&document, &wish] { return csv_of_view(document, wish.table); };
  Result<std::string> csv = co_await on_cpu_pool(work);
  HONE_CO_TRY(std::string text, std::move(csv));
  const std::size_t dot = wish.table.rfind('.');
  co_return csv_reply(std::move(text),
                      dot == std::string::npos ? wish.table : wish.table.substr(dot + 1));
}

}  // namespace hone
