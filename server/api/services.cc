// /v1/services and /v1/targets/{name}/service: what serves what targets build, and what is left of
// its error budget.
#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/canaries/metrics_source.h"

namespace hone {
namespace {

Result<ServiceSpec> parse_service(const Json& document) {
  Result<ServiceSpec> spec = parse_service_spec(document, UnknownKeys::refuse);
  if (spec) {
    if (const Result<void> address = check_address(spec->prometheus); !address) {
      return Error{
          ErrorCode::invalid_argument, "bad service", {{"/prometheus", address.error().message}}};
    }
  }
  return spec;
}

Json to_json(const ServiceView& view) {
  return Json{{"target", view.target},
              {"service", to_json(view.spec)},
              {"updated_at", view.updated_at},
              {"updated_by", null_if_blank(view.updated_by)},
              {"policy_in_force", view.policy_in_force ? Json(*view.policy_in_force) : Json()},
              {"budget", view.budget},
              {"budget_at", null_if_blank(view.budget_at)},
              {"canary", null_if_blank(view.canary)}};
}

Async<Reply> put_service(Api& api, Request& request) {
  RequestValues values(request);
  const std::string target = values.path_name("name");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<ParsedBody<ServiceSpec>> parsed = co_await parse_body<ServiceSpec>(request, parse_service);
  HONE_CO_TRY(ParsedBody<ServiceSpec> body, std::move(parsed));
  AuditedStore store(api.store, audit_entry(request, "service", "describe", target, target));
  const Result<void> put =
      co_await store.services().put(target, body.value, request.caller.token_id);
  HONE_CO_CHECK(put);
  co_return json_reply(to_json(body.value));
}

Async<Reply> get_service(Api& api, Request& request) {
  RequestValues values(request);
  const std::string target = values.path_name("name");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<ServiceSpec> found = co_await api.store.services().find(target);
  HONE_CO_TRY(const ServiceSpec spec, std::move(found));
  co_return json_reply(to_json(spec));
}

Async<Reply> list_services(Api& api, Request& request) {
  RequestValues values(request);
  PageRequest page = values.page();
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Page<ServiceView>> found =
      co_await api.store.services().list(reader_of(request.caller), std::move(page));
  HONE_CO_TRY(const Page<ServiceView> services, std::move(found));
  co_return page_reply(services, [](const ServiceView& view) { return to_json(view); });
}

}  // namespace

std::vector<Route> service_routes(Api& api) {
  const Guard read{Subject::target, "name", TargetRight::read};
  return {{.method = HttpMethod::put,
           .path = "/v1/targets/{name}/service",
           .roles = kAdmins,  // honed asks the address in it, and writes to its sockets and files
           .body = BodyKind::json,
           .handler = bind(api, put_service)},
          {.path = "/v1/targets/{name}/service",
           .roles = kReaders,
           .handler = bind(api, read, get_service)},
          {.path = "/v1/services",
           .roles = kReaders,
           .query = {"cursor", "limit"},
           .handler = bind(api, list_services)}};
}

}  // namespace hone
