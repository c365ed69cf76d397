#include "server/api/session_commands.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "server/api/log_wish.h"
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

Result<SessionAsk> session_ask(Json body, const std::string& session, SessionCommand command) {
  Result<LogWish> wish = take_log_wish(body, command);
  Result<SessionRequest> request = session_command(std::move(body), session, command);
  if (wish && request) {
    return SessionAsk{*std::move(request), *std::move(wish)};
  }
  Error error = request ? wish.error() : request.error();
  if (!request && !wish) {
    const std::vector<FieldProblem>& also = wish.error().fields;
    error.fields.insert(error.fields.end(), also.begin(), also.end());
  }
  return error;
}

std::string session_state(const Sessions& sessions, const std::string& id, const SealedReply& reply,
                          std::optional<std::int64_t> asked) {
  HeadForm form{.id = asked, .session = id};
  if (sessions.log.follows(id)) {
    form.episode = sessions.log.episode_of(id);
  }
  return document_text(reply, form);
}

}  // namespace hone
