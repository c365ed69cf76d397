// /v1/tokens: who may use this API, for admins. /v1/whoami: whose token this is, for everybody.
#include "server/api/api.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/api/session_commands.h"
#include "server/api/table_reply.h"
#include "server/sessions/session_expiry.h"

namespace hone {
namespace {

Json to_json(const TokenView& token) {
  return Json{{"id", token.id},
              {"name", token.name},
              {"role", to_string(token.role)},
              {"created_at", token.created_at},
              {"last_used_at", null_if_blank(token.last_used_at)}};
}

struct TokenRequest {
  std::string name;
  Role role = Role::viewer;
};

Result<TokenRequest> parse_token_request(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  TokenRequest request;
  request.name = reader.text("name", {.max_size = 63});
  request.role = reader.one_of("role", parse_role, kRoleChoices);
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
  const Role role = request.caller.role;
  co_return json_reply(Json{{"name", request.caller.name},
                            {"role", to_string(role)},
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

Async<Reply> create_token(Api& api, Request& request) {
  Result<ParsedBody<TokenRequest>> parsed =
      co_await parse_body<TokenRequest>(request, parse_token_request);
  HONE_CO_TRY(ParsedBody<TokenRequest> body, std::move(parsed));
  Result<NewToken> created =
      co_await api.store.tokens().create(std::move(body.value.name), body.value.role);
  HONE_CO_TRY(const NewToken token, std::move(created));
  Json document = to_json(token.view);
  document["token"] = token.secret;
  co_return json_reply(document, 201);
}

Async<Reply> revoke_token(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  const Result<void> revoked = co_await api.store.tokens().revoke(id);
  HONE_CO_CHECK(revoked);
  if (api.sessions != nullptr) {
    // A WebSocket was let in by this token and asks for it no more: it ends with its session.
    std::vector<std::string> owned = api.sessions->table.take_of(id);
    co_await close_sessions(*api.sessions, std::move(owned), "token revoked");
  }
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
          {.method = HttpMethod::remove,
           .path = "/v1/tokens/{id}",
           .roles = kAdmins,
           .handler = bind(api, revoke_token)}};
}

}  // namespace hone
