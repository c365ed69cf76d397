// Tables as JSON or, with ?format=csv, as comma-separated values: the one place that knows how.
//
// A view is a document whose members are tables (lists of objects, or columns); ?table= names the
// one that is wanted as CSV.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "server/api/replies.h"
#include "server/api/request_values.h"
#include "server/store/async.h"

namespace hone {

enum class TableFormat { json, csv };

// ?format=, json by default.
TableFormat table_format(RequestValues& values);

// A file for people to keep. `name` is ours.
Reply csv_reply(std::string csv, const std::string& name);

// {"items":[...]}, or those as CSV.
Result<Reply> list_reply(Json items, TableFormat format, const std::string& name);

// The same of a page, with next_cursor; as CSV with the header Hone-Next-Cursor.
template <class T, class ToItem>
Result<Reply> page_reply(const Page<T>& page, ToItem to_item, TableFormat format,
                         const std::string& name) {
  if (format == TableFormat::json) {
    return page_reply(page, to_item);
  }
  Json items = Json::array();
  for (const T& item : page.items) {
    items.push_back(to_item(item));
  }
  HONE_TRY(Reply reply, list_reply(std::move(items), format, name));
  if (!page.next_cursor.empty()) {
    reply.headers.emplace_back("Hone-Next-Cursor", page.next_cursor);
  }
  return reply;
}

// What ?format= and ?table= ask of a view with these tables, the first of which is the default.
struct TableWish {
  TableFormat format = TableFormat::json;
  std::string table;
};
TableWish table_wish(RequestValues& values, const std::vector<std::string>& tables);

// A view's document, which is JSON text, as it was asked for. Of a table that lies deeper the wish
// names the way ("job.result.decisions"); one that is not there is empty.
Async<Reply> view_reply(std::string document, TableWish wish);

}  // namespace hone
