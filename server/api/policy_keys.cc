// /v1/policy-keys: public keys that signatures of policies are verified with when one is put in
// force; /v1/policies/{target}/signing: whether a target asks for that.
#include "common/policy/timestamp.h"
#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/api/table_reply.h"

namespace hone {
namespace {

constexpr std::size_t kMaxKeyText = 4096;

Json to_json(const PolicyKeyView& key) {
  return Json{{"id", key.id},
              {"name", key.name},
              {"target", null_if_blank(key.target)},
              {"public_key", key.public_key},
              {"fingerprint", key.fingerprint},
              {"valid_from", key.valid_from},
              {"valid_until", null_if_blank(key.valid_until)},
              {"created_at", key.created_at},
              {"created_by", null_if_blank(key.created_by)},
              {"retired_at", null_if_blank(key.retired_at)},
              {"in_use", key.in_use}};
}

std::optional<std::int64_t> read_moment(ObjectReader& reader, const char* name) {
  const std::optional<std::string> text = reader.optional_text(name, {.max_size = 64});
  if (!text) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> seconds = parse_timestamp(*text);
  if (!seconds) {
    reader.refuse(name, "must be a time as RFC 3339 has it, like 2027-01-31T00:00:00Z");
    return std::nullopt;
  }
  return *seconds * 1000;
}

Result<NewPolicyKey> parse_key(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  NewPolicyKey key;
  key.name = reader.text("name", {.max_size = 63});
  key.target = reader.optional_text("target", {.max_size = 63}).value_or("");
  key.public_key = reader.text("public_key", {.max_size = kMaxKeyText});
  key.valid_from = read_moment(reader, "valid_from");
  key.valid_until = read_moment(reader, "valid_until");
  reader.finish();
  if (auto error = problems.as_error("policy key")) {
    return *std::move(error);
  }
  return key;
}

Async<Reply> list_keys(Api& api, Request& request) {
  RequestValues values(request);
  const TableFormat format = table_format(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::vector<PolicyKeyView>> found =
      co_await api.store.policy_keys().list(reader_of(request.caller));
  HONE_CO_TRY(const std::vector<PolicyKeyView> keys, std::move(found));
  Json items = Json::array();
  for (const PolicyKeyView& key : keys) {
    items.push_back(to_json(key));
  }
  co_return list_reply(std::move(items), format, "policy-keys");
}

Async<Reply> add_key(Api& api, Request& request) {
  Result<ParsedBody<NewPolicyKey>> parsed = co_await parse_body<NewPolicyKey>(request, parse_key);
  HONE_CO_TRY(ParsedBody<NewPolicyKey> body, std::move(parsed));
  body.value.created_by = request.caller.token_id;
  AuditedStore store(api.store, audit_entry(request, "policy_key", "add"));
  Result<PolicyKeyView> added = co_await store.policy_keys().add(std::move(body.value));
  HONE_CO_TRY(const PolicyKeyView key, std::move(added));
  co_return json_reply(to_json(key), 201);
}

Async<Reply> retire_key(Api& api, Request& request) {
  RequestValues values(request);
  const std::string id = values.path_uuid("id");
  const LastKey last = values.flag("force") ? LastKey::retire : LastKey::keep;
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "policy_key", "retire", id));
  Result<PolicyKeyView> retired = co_await store.policy_keys().retire(id, last);
  HONE_CO_TRY(const PolicyKeyView key, std::move(retired));
  co_return json_reply(to_json(key));
}

Async<Reply> get_signing(Api& api, Request& request) {
  RequestValues values(request);
  const std::string target = values.path_name("target");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  const Result<bool> required = co_await api.store.policy_keys().signatures_required(target);
  HONE_CO_CHECK(required);
  co_return json_reply(Json{{"target", target}, {"required", *required}});
}

Result<bool> parse_signing(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  const bool required = reader.truth("required");
  reader.finish();
  if (auto error = problems.as_error("signing")) {
    return *std::move(error);
  }
  return required;
}

Async<Reply> put_signing(Api& api, Request& request) {
  RequestValues values(request);
  const std::string target = values.path_name("target");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<ParsedBody<bool>> parsed = co_await parse_body<bool>(request, parse_signing);
  HONE_CO_TRY(const ParsedBody<bool> body, std::move(parsed));
  AuditedStore store(api.store,
                     audit_entry(request, "policy", "require_signatures", target, target));
  const Result<void> changed = co_await store.policy_keys().require_signatures(target, body.value);
  HONE_CO_CHECK(changed);
  co_return json_reply(Json{{"target", target}, {"required", body.value}});
}

}  // namespace

std::vector<Route> policy_key_routes(Api& api) {
  const Guard read{Subject::target, "target", TargetRight::read};
  return {{.path = "/v1/policy-keys",
           .roles = kReaders,
           .query = {"format"},
           .handler = bind(api, list_keys)},
          {.method = HttpMethod::post,
           .path = "/v1/policy-keys",
           .roles = kAdmins,
           .body = BodyKind::json,
           .handler = bind(api, add_key)},
          {.method = HttpMethod::post,
           .path = "/v1/policy-keys/{id}/retire",
           .roles = kAdmins,
           .body = BodyKind::optional_json,
           .query = {"force"},
           .handler = bind(api, retire_key)},
          {.path = "/v1/policies/{target}/signing",
           .roles = kReaders,
           .handler = bind(api, read, get_signing)},
          {.method = HttpMethod::put,
           .path = "/v1/policies/{target}/signing",
           .roles = kAdmins,
           .body = BodyKind::json,
           .handler = bind(api, put_signing)}};
}

}  // namespace hone
