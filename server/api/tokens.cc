// /v1/tokens: who may use this API, for admins. /v1/whoami: whose token this is, for everybody.
#include "common/protocol/names.h"
#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/api/session_commands.h"
#include "server/api/table_reply.h"

namespace hone {
namespace {

Json to_json(const TargetGrants& grants) {
  Json list = Json::array();
  for (const auto& [target, rights] : grants) {
    list.push_back({{"target", target}, {"rights", spellings(rights)}});
  }
  return list;
}

Json to_json(const TokenView& token) {
  return Json{{"id", token.id},
              {"name", token.name},
              {"role", to_string(token.role)},
              {"grants", token.grants ? to_json(*token.grants) : Json()},
              {"created_at", token.created_at},
              {"last_used_at", null_if_blank(token.last_used_at)},
              {"expires_at", null_if_blank(token.expires_at)},
              {"expired", token.expired},
              {"rotated_at", null_if_blank(token.rotated_at)},
              {"old_secret_until", null_if_blank(token.old_secret_until)}};
}

// What a grant to a token of this role says; without rights, the usual ones.
TargetRights read_rights(ObjectReader& reader, Role role) {
  TargetRights rights;
  const std::vector<std::string> spelled = reader.text_list("rights", 4, {.max_size = 16});
  for (const std::string& spelling : spelled) {
    const std::optional<TargetRight> right = parse_target_right(spelling);
    if (!right) {
      reader.refuse("rights",
                    "\"" + spelling + "\" is not one of " + std::string(kTargetRightChoices));
    } else if (!most_rights(role).contains(*right)) {
      reader.refuse("rights", "a token of role " + std::string(to_string(role)) + " can never " +
                                  spelling + ": leave it out or choose another role");
    } else {
      rights.add(*right);
    }
  }
  if (rights.empty()) {
    return usual_rights(role);
  }
  rights.add(TargetRight::read);
  return rights;
}

std::string read_target(ObjectReader& reader) {
  std::string target = reader.text("target", {.max_size = 63});
  if (!target.empty() && !is_valid_name(target)) {
    reader.refuse("target", "must be a name: a-z or 0-9, then at most 62 of a-z 0-9 . _ -");
  }
  return target;
}

struct TokenRequest {
  std::string name;
  Role role = Role::viewer;
  TokenScope scope;
};

Result<TokenRequest> parse_token_request(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  TokenRequest request;
  request.name = reader.text("name", {.max_size = 63});
  request.role = reader.one_of("role", parse_role, kRoleChoices);
  request.scope.expires_in_s = reader.optional_integer("expires_in_seconds", 1, kMaxTokenSeconds);
  if (reader.has("grants")) {
    TargetGrants& grants = request.scope.grants.emplace();
    reader.each("grants", kMaxGrants, [&](ObjectReader& grant) {
      const std::string target = read_target(grant);
      const TargetRights rights = read_rights(grant, request.role);
      if (!grants.emplace(target, rights).second) {
        grant.refuse("target", "\"" + target + "\" stands twice");
      }
    });
    if (request.role == Role::admin) {
      reader.refuse("grants", "an admin's token counts for all targets: leave them out");
    } else if (grants.empty() && problems.empty()) {
      reader.refuse("grants", "must name a target; leave it out for all targets");
    }
  }
  reader.finish();
  if (!request.name.empty() && !is_valid_name(request.name)) {
    reader.refuse("name", "must be a name: a-z or 0-9, then at most 62 of a-z 0-9 . _ -");
  }
  if (auto error = problems.as_error("token")) {
    return *std::move(error);
  }
  return request;
}

// What the caller may do, so that a page need not know which role may do what.
Async<Reply> who_am_i(Api&, Request& request) {
  const Caller& caller = request.caller;
  const Role role = caller.role;
  co_return json_reply(Json{{"name", caller.name},
                            {"role", to_string(role)},
                            {"grants", caller.grants ? to_json(*caller.grants) : Json()},
                            {"may",
                             {{"read", kReaders.contains(role)},
                              {"submit", kSubmitters.contains(role)},
                              {"step", kSteppers.contains(role)},
                              {"administer", kAdmins.contains(role)}}}});
}

Async<Reply> list_tokens(Api& api, Request& request) {
  RequestValues values(request);
  const TableFormat format = table_format(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::vector<TokenView>> found = co_await api.store.tokens().list();
  HONE_CO_TRY(const std::vector<TokenView> tokens, std::move(found));
  Json items = Json::array();
  for (const TokenView& token : tokens) {
    items.push_back(to_json(token));
  }
  co_return list_reply(std::move(items), format, "tokens");
}

Async<Reply> get_token(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<TokenView> found = co_await api.store.tokens().find(std::move(id));
  HONE_CO_TRY(const TokenView token, std::move(found));
  co_return json_reply(to_json(token));
}

Reply new_token_reply(const NewToken& token, int status) {
  Json document = to_json(token.view);
  document["token"] = token.secret;
  return json_reply(document, status);
}

Async<Reply> create_token(Api& api, Request& request) {
  Result<ParsedBody<TokenRequest>> parsed =
      co_await parse_body<TokenRequest>(request, parse_token_request);
  HONE_CO_TRY(ParsedBody<TokenRequest> body, std::move(parsed));
  AuditedStore store(api.store, audit_entry(request, "token", "create"));
  Result<NewToken> created = co_await store.tokens().create(
      std::move(body.value.name), body.value.role, std::move(body.value.scope));
  HONE_CO_TRY(const NewToken token, std::move(created));
  co_return new_token_reply(token, 201);
}

Async<Reply> put_grant(Api& api, Request& request) {
  RequestValues values(request);
  const std::string id = values.path_uuid("id");
  const std::string target = values.path_name("target");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<TokenView> found = co_await api.store.tokens().find(id);
  HONE_CO_TRY(const TokenView known, std::move(found));
  const auto parse = [role = known.role](const Json& document) -> Result<TargetRights> {
    Problems problems;
    ObjectReader reader(document, "", problems, UnknownKeys::refuse);
    const TargetRights rights = read_rights(reader, role);
    reader.finish();
    if (auto error = problems.as_error("grant")) {
      return *std::move(error);
    }
    return rights;
  };
  Result<ParsedBody<TargetRights>> parsed = co_await parse_body<TargetRights>(request, parse);
  HONE_CO_TRY(const ParsedBody<TargetRights> body, std::move(parsed));
  AuditedStore store(api.store, audit_entry(request, "token", "grant", id, target));
  Result<TokenView> granted = co_await store.tokens().grant(id, target, body.value);
  HONE_CO_TRY(const TokenView token, std::move(granted));
  co_return json_reply(to_json(token));
}

Async<Reply> delete_grant(Api& api, Request& request) {
  RequestValues values(request);
  const std::string id = values.path_uuid("id");
  const std::string target = values.path_name("target");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  AuditedStore store(api.store, audit_entry(request, "token", "revoke_grant", id, target));
  Result<TokenView> left = co_await store.tokens().revoke_grant(id, target);
  HONE_CO_TRY(const TokenView token, std::move(left));
  co_return json_reply(to_json(token));
}

Result<std::int64_t> parse_rotation(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  const std::int64_t seconds =
      reader.optional_integer("old_for_seconds", 0, kMaxRotationSeconds).value_or(0);
  reader.finish();
  if (auto error = problems.as_error("rotation")) {
    return *std::move(error);
  }
  return seconds;
}

Async<Reply> rotate_token(Api& api, Request& request) {
  RequestValues values(request);
  const std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  std::int64_t old_for_s = 0;
  if (!request.body.empty()) {
    Result<ParsedBody<std::int64_t>> parsed =
        co_await parse_body<std::int64_t>(request, parse_rotation);
    HONE_CO_TRY(const ParsedBody<std::int64_t> body, std::move(parsed));
    old_for_s = body.value;
  }
  AuditedStore store(api.store, audit_entry(request, "token", "rotate", id));
  Result<NewToken> rotated = co_await store.tokens().rotate(id, old_for_s);
  HONE_CO_TRY(const NewToken token, std::move(rotated));
  co_return new_token_reply(token, 200);
}

Async<Reply> revoke_token(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  AuditedStore store(api.store, audit_entry(request, "token", "revoke", id));
  const Result<void> revoked = co_await store.tokens().revoke(std::move(id));
  HONE_CO_CHECK(revoked);
  co_return no_content();
}

}  // namespace

std::vector<Route> token_routes(Api& api) {
  const Roles everybody{Role::viewer, Role::submitter, Role::worker, Role::learner};
  return {{.path = "/v1/whoami", .roles = everybody, .handler = bind(api, who_am_i)},
          {.path = "/v1/tokens",
           .roles = kAdmins,
           .query = {"format"},
           .handler = bind(api, list_tokens)},
          {.method = HttpMethod::post,
           .path = "/v1/tokens",
           .roles = kAdmins,
           .body = BodyKind::json,
           .handler = bind(api, create_token)},
          {.path = "/v1/tokens/{id}", .roles = kAdmins, .handler = bind(api, get_token)},
          {.method = HttpMethod::put,
           .path = "/v1/tokens/{id}/grants/{target}",
           .roles = kAdmins,
           .body = BodyKind::json,
           .handler = noting(api, Channel::tokens, bind(api, put_grant))},
          {.method = HttpMethod::remove,
           .path = "/v1/tokens/{id}/grants/{target}",
           .roles = kAdmins,
           .handler = noting(api, Channel::tokens, bind(api, delete_grant))},
          {.method = HttpMethod::post,
           .path = "/v1/tokens/{id}/rotate",
           .roles = kAdmins,
           .body = BodyKind::optional_json,
           .handler = noting(api, Channel::tokens, bind(api, rotate_token))},
          {.method = HttpMethod::remove,
           .path = "/v1/tokens/{id}",
           .roles = kAdmins,
           .handler = noting(api, Channel::tokens, bind(api, revoke_token))}};
}

}  // namespace hone
