// /v1/canaries: which policies are tried on real traffic.
#include "common/base/log.h"
#include "common/protocol/canary.h"
#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/canaries/canary_machine.h"

namespace hone {
namespace {

constexpr std::size_t kMaxWhy = 1024;

Result<CanarySpec> parse_canary(const Json& document) {
  return parse_canary_spec(document, UnknownKeys::refuse);
}

Async<Reply> create_canary(Api& api, Request& request) {
  HONE_CO_CHECK(check_anywhere(request.caller, TargetRight::promote));
  Result<ParsedBody<CanarySpec>> parsed = co_await parse_body<CanarySpec>(request, parse_canary);
  HONE_CO_TRY(ParsedBody<CanarySpec> body, std::move(parsed));
  Result<void> allowed = check_target(request.caller, body.value.target, TargetRight::promote);
  if (!allowed && allowed.error().code == ErrorCode::not_found) {
    // As of one that is not there.
    co_return Error{ErrorCode::invalid_argument,
                    "bad canary",
                    {{"/target", "no target '" + body.value.target + "' is registered"}}};
  }
  HONE_CO_CHECK(allowed);
  AuditedStore store(api.store, audit_entry(request, "canary", "create"));
  Result<CanaryView> created =
      co_await store.canaries().create(std::move(body.value), request.caller.token_id);
  api.canary_leases.forget();  // the one before, which was promoted, has a successor
  HONE_CO_TRY(const CanaryView canary, std::move(created));
  Reply reply = json_reply(to_json(canary), 201);
  reply.headers.emplace_back("Location", "/v1/canaries/" + canary.id);
  co_return reply;
}

Json without_experience(const CanaryView& canary) {
  return to_json(canary);
}
Json with_experience(const CanaryView& canary) {
  Json document = to_json(canary);
  document["experience"] = canary.experience;
  return document;
}

Async<Reply> list_canaries(Api& api, Request& request) {
  RequestValues values(request);
  std::optional<std::string> target = values.name("target");
  const bool experiences = values.flag("experience");
  PageRequest page = values.page();
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Page<CanaryView>> found = co_await api.store.canaries().list(
      reader_of(request.caller), std::move(target), std::move(page));
  HONE_CO_TRY(const Page<CanaryView> canaries, std::move(found));
  co_return page_reply(canaries, experiences ? with_experience : without_experience);
}

// With its whole trail, so that what was decided can be read in one place.
Async<Reply> get_canary(Api& api, Request& request) {
  RequestValues values(request);
  const std::string id = values.path_uuid("id");
  const bool with_windows = values.flag("windows");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<CanaryView> found = co_await api.store.canaries().find(id);
  HONE_CO_TRY(const CanaryView canary, std::move(found));
  Result<std::vector<CanaryDecision>> known = co_await api.store.canaries().decisions(id);
  HONE_CO_TRY(const std::vector<CanaryDecision> decisions, std::move(known));
  Json document = with_experience(canary);
  document["decisions"] = Json::array();
  for (const CanaryDecision& decision : decisions) {
    document["decisions"].push_back(to_json(decision));
  }
  if (with_windows) {
    Result<std::vector<CanaryWindow>> stored = co_await api.store.canaries().windows(id);
    HONE_CO_TRY(std::vector<CanaryWindow> windows, std::move(stored));
    document["window_list"] = Json::array();
    for (CanaryWindow& window : windows) {
      document["window_list"].push_back({{"number", window.number},
                                         {"start", window.start},
                                         {"seconds", window.seconds},
                                         {"share", window.share},
                                         {"baseline", std::move(window.baseline)},
                                         {"canary", std::move(window.canary)}});
    }
  }
  co_return json_reply(document);
}

Async<Reply> approve_canary(Api& api, Request& request) {
  RequestValues values(request);
  const std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "canary", "approve", id));
  CanaryChange change = [who = request.caller.name](CanaryStatus status) {
    return approved(std::move(status), who);
  };
  Result<CanaryView> changed = co_await store.canaries().change(id, std::move(change));
  api.canary_leases.forget();
  HONE_CO_TRY(const CanaryView canary, std::move(changed));
  co_return json_reply(to_json(canary));
}

Result<std::string> parse_why(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  std::string why = reader.text("reason", {.max_size = kMaxWhy});
  reader.finish();
  if (auto error = problems.as_error("end of a canary")) {
    return *std::move(error);
  }
  return why;
}

Async<Reply> abort_canary(Api& api, Request& request) {
  RequestValues values(request);
  const std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<ParsedBody<std::string>> parsed = co_await parse_body<std::string>(request, parse_why);
  HONE_CO_TRY(ParsedBody<std::string> body, std::move(parsed));
  AuditedStore store(api.store, audit_entry(request, "canary", "abort", id));
  CanaryChange change = [who = request.caller.name, why = body.value](CanaryStatus status) {
    return ended_by_hand(std::move(status), who, why);
  };
  Result<CanaryView> changed = co_await store.canaries().change(id, std::move(change));
  api.canary_leases.forget();
  HONE_CO_TRY(const CanaryView canary, std::move(changed));
  co_return json_reply(to_json(canary));
}

// What a balancer's health check asks before it lets the canary have traffic: public, since
// HAProxy's checks hold no token, and yes or no of a random id says nothing.
Async<Reply> get_lease(Api& api, Request& request) {
  const std::string id = request.path_value("id");
  const Result<bool> may = co_await api.canary_leases.may_serve(id);
  HONE_CO_CHECK(may);
  api.metrics.canary_lease(*may);
  // The change, and not every check: a drained one is asked for twice a second for ever.
  if (*may && api.served_canaries.insert(id).second) {
    log_info("canary_lease_given", {{"canary", id}});
  } else if (!*may && api.served_canaries.erase(id) > 0) {
    log_warning("canary_lease_refused", {{"canary", id}});
  }
  if (!*may) {
    co_return fail(ErrorCode::unavailable, "this canary may not have traffic now");
  }
  co_return json_reply(Json{{"serving", true}});
}

}  // namespace

std::vector<Route> canary_routes(Api& api) {
  const Guard read{Subject::canary, "id", TargetRight::read};
  const Guard promote{Subject::canary, "id", TargetRight::promote};
  // As for policies: of those who are not admins only with a grant that says so.
  const Roles promoters{Role::submitter};
  return {{.method = HttpMethod::post,
           .path = "/v1/canaries",
           .roles = promoters,
           .body = BodyKind::json,
           .handler = bind(api, create_canary)},
          {.path = "/v1/canaries",
           .roles = kReaders,
           .query = {"target", "experience", "cursor", "limit"},
           .handler = bind(api, list_canaries)},
          {.path = "/v1/canaries/{id}",
           .roles = kReaders,
           .query = {"windows"},
           .handler = bind(api, read, get_canary)},
          {.method = HttpMethod::post,
           .path = "/v1/canaries/{id}/approve",
           .roles = promoters,
           .body = BodyKind::optional_json,
           .handler = noting(api, Channel::policies, bind(api, promote, approve_canary))},
          {.method = HttpMethod::post,
           .path = "/v1/canaries/{id}/abort",
           .roles = promoters,
           .body = BodyKind::json,
           .handler = bind(api, promote, abort_canary)},
          {.path = "/v1/canaries/{id}/lease", .handler = bind(api, get_lease)}};
}

}  // namespace hone
