// Replies that the handlers share.
#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/json/document.h"
#include "server/http/message.h"
#include "server/store/page.h"

namespace hone {

inline Reply json_reply(const Json& document, int status = 200) {
  Reply reply;
  reply.status = status;
  reply.body = dump_json(document);
  return reply;
}

inline Reply no_content() {
  Reply reply;
  reply.status = 204;
  return reply;
}

// {"items":[...],"next_cursor":"..."|null}; `to_item` makes an item's JSON.
template <class T, class ToItem>
Reply page_reply(const Page<T>& page, ToItem to_item) {
  Json items = Json::array();
  for (const T& item : page.items) {
    items.push_back(to_item(item));
  }
  return json_reply(
      Json{{"items", std::move(items)},
           {"next_cursor", page.next_cursor.empty() ? Json() : Json(page.next_cursor)}});
}

inline Json null_if_blank(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace hone
