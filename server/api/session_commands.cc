#include "server/api/session_commands.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "server/api/request_values.h"

namespace hone {

bool is_admin(const Request& request) {
  return request.caller.role == Role::admin;
}

Result<Sessions*> sessions_of(const Api& api) {
  if (api.sessions == nullptr) {
    return fail(ErrorCode::unsupported, "this honed serves no compile sessions");
  }
  return api.sessions;
}

Result<OwnSession> own_session(const Api& api, const Request& request) {
  HONE_TRY(Sessions* const sessions, sessions_of(api));
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    return *std::move(error);
  }
  HONE_CHECK(sessions->table.use(id, request.caller.token_id, is_admin(request)));
  return OwnSession{sessions, std::move(id)};
}

Result<SessionRequest> session_command(Json body, const std::string& session,
                                       SessionCommand command) {
  Json document = body.is_null() ? Json::object() : std::move(body);
  if (document.is_object()) {
    for (const char* const key : {"id", "session", "command", "into"}) {
      if (document.contains(key)) {
        return Error{ErrorCode::invalid_argument,
                     "bad session request",
                     {{std::string("/") + key, "is no key of this request"}}};
      }
    }
    document["id"] = 0;
    document["session"] = session;
    document["command"] = std::string(to_string(command));
    if (command == SessionCommand::fork) {
      document["into"] = session;  // given its name later
    }
  }
  return parse_session_request(document);
}

Async<SealedReply> ask_session(Sessions& sessions, SessionRequest request) {
  Result<SealedReply> reply = co_await sessions.host.ask(std::move(request));
  co_return reply;
}

}  // namespace hone
