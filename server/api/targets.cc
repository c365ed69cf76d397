// /v1/targets: registered products.
#include "common/protocol/target_spec.h"
#include "server/api/access.h"
#include "server/api/artifact_reception.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/api/table_reply.h"

namespace hone {
namespace {

Json to_json(const TargetRecord& record) {
  return Json{{"name", record.name},
              {"version", record.version},
              {"spec", to_json(record.spec)},
              {"created_at", record.created_at},
              {"updated_at", record.updated_at},
              {"profile", record.profile ? to_json(*record.profile) : Json()}};
}

// What a registered target needs beyond a hone.yaml: the path's name, and a source.
Result<TargetSpec> parse_registration(const Json& document, const std::string& name) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  TargetSpec spec = read_target_spec(reader);
  reader.finish();
  if (is_valid_name(spec.name) && spec.name != name) {
    reader.refuse("name", "must be \"" + name + "\", as in the path");
  }
  if (document.is_object() && spec.source.artifact.empty() && !spec.source.git) {
    reader.refuse("source", "needs an \"artifact\" (uploaded before) or \"git\"");
  }
  if (auto error = problems.as_error("target")) {
    return *std::move(error);
  }
  return spec;
}

Async<Reply> put_target(Api& api, Request& request) {
  RequestValues values(request);
  const std::string name = values.path_name("name");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  auto parse = [&name](const Json& document) { return parse_registration(document, name); };
  Result<ParsedBody<TargetSpec>> parsed = co_await parse_body<TargetSpec>(request, parse);
  HONE_CO_TRY(ParsedBody<TargetSpec> body, std::move(parsed));
  if (!body.value.source.artifact.empty()) {
    const std::string& artifact = body.value.source.artifact;
    // A target that is made of it lets its readers read it: whoever may not is told of none.
    const Result<ArtifactView> known = co_await use_artifact(api, request.caller, artifact);
    if (!known.has_value() && known.error().code == ErrorCode::not_found) {
      co_return Error{ErrorCode::invalid_argument,
                      "bad target",
                      {{"/source/artifact", "is not known here: upload it first"}}};
    }
    HONE_CO_CHECK(known);
  }
  AuditedStore store(api.store, audit_entry(request, "target", "define", name, name));
  Result<PutTarget> put =
      co_await store.targets().put(std::move(body.value), request.caller.token_id);
  HONE_CO_TRY(const PutTarget stored, std::move(put));
  co_return json_reply(to_json(stored.record), stored.created ? 201 : 200);
}

Async<Reply> get_target(Api& api, Request& request) {
  RequestValues values(request);
  std::string name = values.path_name("name");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<TargetRecord> found = co_await api.store.targets().find(std::move(name));
  HONE_CO_TRY(const TargetRecord record, std::move(found));
  co_return json_reply(to_json(record));
}

Async<Reply> list_targets(Api& api, Request& request) {
  RequestValues values(request);
  PageRequest page = values.page();
  const TableFormat format = table_format(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Page<TargetRecord>> found =
      co_await api.store.targets().list(std::move(page), reader_of(request.caller));
  HONE_CO_TRY(const Page<TargetRecord> records, std::move(found));
  const auto to_item = [](const TargetRecord& record) { return to_json(record); };
  co_return page_reply(records, to_item, format, "targets");
}

}  // namespace

std::vector<Route> target_routes(Api& api) {
  const Guard read{Subject::target, "name", TargetRight::read};
  const Guard define{Subject::target, "name", TargetRight::define};
  return {{.method = HttpMethod::put,
           .path = "/v1/targets/{name}",
           .roles = kSubmitters,
           .body = BodyKind::json,
           .handler = bind(api, define, put_target)},
          {.path = "/v1/targets/{name}", .roles = kReaders, .handler = bind(api, read, get_target)},
          {.path = "/v1/targets",
           .roles = kReaders,
           .query = {"cursor", "limit", "format"},
           .handler = bind(api, list_targets)}};
}

}  // namespace hone
