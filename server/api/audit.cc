// GET /v1/audit: who changed what, for admins.
#include "common/json/document.h"
#include "server/api/api.h"
#include "server/api/replies.h"
#include "server/api/request_values.h"
#include "server/api/table_reply.h"

namespace hone {
namespace {

constexpr std::int64_t kLastMillisecond = 253'402'300'799'000;  // in the year 9999

Json document_or_null(const std::string& text) {
  Result<Json> document =
      text.empty() ? Result<Json>(boost::system::in_place_value, Json()) : parse_json(text);
  return document ? *std::move(document) : Json();
}

Json to_json(const AuditView& view) {
  return Json{{"number", view.number},
              {"at", view.at},
              {"token", null_if_blank(view.token)},
              {"token_name", view.token.empty() ? Json("honed") : Json(view.token_name)},
              {"action", view.entry.action},
              {"kind", view.entry.kind},
              {"object", null_if_blank(view.entry.object)},
              {"target", null_if_blank(view.entry.target)},
              {"request", null_if_blank(view.entry.request)},
              {"before", document_or_null(view.entry.before)},
              {"after", document_or_null(view.entry.after)}};
}

Async<Reply> list_audit(Api& api, Request& request) {
  RequestValues values(request);
  AuditFilter filter;
  filter.token = values.text("token", 64);
  filter.target = values.name("target");
  filter.kind = values.text("kind", 64);
  filter.object = values.text("object", 256);
  filter.action = values.text("action", 64);
  filter.from = values.number("from", 0, kLastMillisecond);
  filter.to = values.number("to", 0, kLastMillisecond);
  PageRequest page = values.page();
  const TableFormat format = table_format(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Page<AuditView>> found =
      co_await api.store.audit().list(std::move(filter), std::move(page));
  HONE_CO_TRY(const Page<AuditView> views, std::move(found));
  const auto to_item = [](const AuditView& view) { return to_json(view); };
  co_return page_reply(views, to_item, format, "audit");
}

}  // namespace

std::vector<Route> audit_routes(Api& api) {
  return {{.path = "/v1/audit",
           .roles = kAdmins,
           .query = {"token", "target", "kind", "object", "action", "from", "to", "cursor", "limit",
                     "format"},
           .handler = bind(api, list_audit)}};
}

}  // namespace hone
