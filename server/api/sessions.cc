// /v1/sessions: programs stepped through passes, as in a gym.
#include "server/sessions/sessions.h"

#include <fmt/chrono.h>

#include "server/api/access.h"
#include "server/api/artifact_reception.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/session_commands.h"

namespace hone {
namespace {

Async<SessionAsk> read_command(Request& request, std::string session, SessionCommand command) {
  if (request.body.empty()) {
    co_return session_ask(Json(), session, command);
  }
  const auto parse = [session, command](const Json& document) {
    return session_ask(document, session, command);
  };
  Result<ParsedBody<SessionAsk>> parsed = co_await parse_body<SessionAsk>(request, parse);
  HONE_CO_TRY(ParsedBody<SessionAsk> body, std::move(parsed));
  co_return std::move(body.value);
}

Reply session_reply(const Sessions& sessions, const std::string& id, const SealedReply& sealed,
                    int status = 200) {
  Reply reply;
  reply.status = status;
  reply.body = session_state(sessions, id, sealed);
  return reply;
}

// The path, for the session server, of the program named by its hash.
Async<std::string> find_program(Api& api, const Caller& caller, std::string program) {
  const Result<ArtifactView> known = co_await use_artifact(api, caller, program);
  Result<std::filesystem::path> file = std::filesystem::path();
  if (known) {
    file = co_await api.artifacts.store->local_file(program);
  } else {
    file = known.error();
  }
  if (!file && file.error().code == ErrorCode::not_found) {
    co_return Error{ErrorCode::invalid_argument,
                    "bad session request",
                    {{"/program", "must be the SHA-256 of an artifact that was uploaded"}}};
  }
  HONE_CO_CHECK(file);
  co_return file->string();
}

Async<Reply> open_session(Api& api, Request& request) {
  HONE_CO_TRY(Sessions* const sessions, sessions_of(api));
  // The name is made when the body is known to be right.
  Result<SessionAsk> read = co_await read_command(request, "new", SessionCommand::open);
  HONE_CO_TRY(SessionAsk asked, std::move(read));
  SessionRequest& command = asked.request;
  const std::string program = command.program;
  Result<std::string> file = co_await find_program(api, request.caller, program);
  HONE_CO_TRY(command.program, std::move(file));
  if (!command.allowed_only && !is_admin(request)) {
    co_return fail(ErrorCode::permission_denied, "allowed_only may be false for admins only");
  }
  HONE_CO_TRY(command.session, sessions->table.add(request.caller.token_id));
  const std::string id = command.session;
  Async<SealedReply> opening =
      asked.wish.log ? open_logged(*sessions, std::move(command), std::move(asked.wish),
                                   request.caller.token_id, program)
                     : ask_session(*sessions, std::move(command), std::move(asked.wish),
                                   request.caller.token_id);
  const Result<SealedReply> reply = co_await std::move(opening);
  if (!reply) {
    sessions->table.remove(id);
    co_return reply.error();
  }
  co_return session_reply(*sessions, id, *reply, 201);
}

Async<Reply> run_command(Api& api, Request& request, SessionCommand command) {
  HONE_CO_TRY(const OwnSession own, own_session(api, request));
  Result<SessionAsk> read = co_await read_command(request, own.id, command);
  HONE_CO_TRY(SessionAsk asked, std::move(read));
  const Result<SealedReply> reply = co_await ask_session(
      *own.sessions, std::move(asked.request), std::move(asked.wish), request.caller.token_id);
  HONE_CO_CHECK(reply);
  co_return session_reply(*own.sessions, own.id, *reply);
}

Async<Reply> step(Api& api, Request& request) {
  return run_command(api, request, SessionCommand::step);
}
Async<Reply> observe(Api& api, Request& request) {
  return run_command(api, request, SessionCommand::observe);
}
Async<Reply> undo(Api& api, Request& request) {
  return run_command(api, request, SessionCommand::undo);
}
Async<Reply> reset(Api& api, Request& request) {
  return run_command(api, request, SessionCommand::reset);
}

Async<Reply> fork_session(Api& api, Request& request) {
  HONE_CO_TRY(const OwnSession own, own_session(api, request));
  Result<SessionAsk> read = co_await read_command(request, own.id, SessionCommand::fork);
  HONE_CO_TRY(SessionAsk asked, std::move(read));
  HONE_CO_TRY(asked.request.into, own.sessions->table.add(request.caller.token_id));
  const std::string into = asked.request.into;
  const Result<SealedReply> reply = co_await ask_session(
      *own.sessions, std::move(asked.request), std::move(asked.wish), request.caller.token_id);
  if (!reply) {
    own.sessions->table.remove(into);
    co_return reply.error();
  }
  co_return session_reply(*own.sessions, into, *reply, 201);
}

Async<Reply> delete_session(Api& api, Request& request) {
  HONE_CO_TRY(const OwnSession own, own_session(api, request));
  SessionRequest close;
  close.session = own.id;
  close.command = SessionCommand::close;
  own.sessions->table.remove(own.id);
  const Result<SealedReply> closed = co_await own.sessions->host.ask(std::move(close));
  own.sessions->log.end(own.id, "closed");
  HONE_CO_CHECK(closed);
  co_return no_content();
}

Async<Reply> list_sessions(Api& api, Request& request) {
  HONE_CO_TRY(Sessions* const sessions, sessions_of(api));
  Json items = Json::array();
  for (const SessionEntry& entry :
       sessions->table.list(request.caller.token_id, is_admin(request))) {
    items.push_back({{"session", entry.id},
                     {"created_at", fmt::format("{:%FT%TZ}", fmt::gmtime(entry.created))}});
  }
  co_return json_reply(Json{{"items", std::move(items)}});
}

Route command_route(Api& api, const std::string& name, BodyKind body, ApiHandler handler) {
  return {.method = HttpMethod::post,
          .path = "/v1/sessions/{id}/" + name,
          .roles = kSteppers,
          .body = body,
          .handler = bind(api, handler)};
}

}  // namespace

std::vector<Route> session_routes(Api& api) {
  return {{.method = HttpMethod::post,
           .path = "/v1/sessions",
           .roles = kSteppers,
           .body = BodyKind::json,
           .handler = bind(api, open_session)},
          {.path = "/v1/sessions", .roles = kSteppers, .handler = bind(api, list_sessions)},
          command_route(api, "step", BodyKind::json, step),
          command_route(api, "observe", BodyKind::optional_json, observe),
          command_route(api, "undo", BodyKind::optional_json, undo),
          command_route(api, "reset", BodyKind::optional_json, reset),
          command_route(api, "fork", BodyKind::optional_json, fork_session),
          {.method = HttpMethod::remove,
           .path = "/v1/sessions/{id}",
           .roles = kSteppers,
           .handler = bind(api, delete_session)},
          {.path = "/v1/sessions/{id}/socket",
           .roles = kSteppers,
           .body = BodyKind::messages,
           .handler = bind(api, open_session_socket)}};
}

}  // namespace hone
