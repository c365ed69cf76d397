// A session stepped by messages, for agents whose steps are shorter than a request of their own:
// each message is a command as its path has it, with its name and an id that the answer carries.
//
//   {"id": 7, "command": "step", "pipelines": ["function(sroa)"], "observe": ["Autophase"]}
//   {"id": 7, "session": "...", "outcome": "ok", ...}        or {"id": 7, "problem": {...}}
//
// Answers come in the order of the messages. Each message is let in as a request would be: by a
// token that is good now. A socket that says nothing ends within seconds of its token, too: its
// last message is {"problem": {...}}, without an id.
#include <chrono>

#include <nlohmann/json.hpp>

#include "common/json/object_reader.h"
#include "common/protocol/problem.h"
#include "server/api/caller_watch.h"
#include "server/api/session_commands.h"
#include "server/http/problem_reply.h"

namespace hone {
namespace {

constexpr std::int64_t kMaxId = std::int64_t{1} << 53U;
// How often a silent one's token is looked at: in memory, unless some token changed.
constexpr std::chrono::milliseconds kLook{1'000};

std::optional<SessionCommand> parse_socket_command(std::string_view text) {
  const std::optional<SessionCommand> command = parse_session_command(text);
  switch (command.value_or(SessionCommand::open)) {
    case SessionCommand::step:
    case SessionCommand::observe:
    case SessionCommand::undo:
    case SessionCommand::reset:
      return command;
    case SessionCommand::open:
    case SessionCommand::fork:
    case SessionCommand::close:
      break;
  }
  return std::nullopt;
}

// `id` is set as soon as it is known, so that an error can carry it.
Result<SessionAsk> parse_message(std::string_view text, const std::string& session,
                                 std::optional<std::int64_t>& id) {
  HONE_TRY(Json document, parse_json(text));
  if (!document.is_object()) {
    return fail(ErrorCode::invalid_argument, "a message is a JSON object");
  }
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  const std::int64_t given = reader.integer("id", 0, kMaxId);
  if (!problems.as_error("message")) {
    id = given;
  }
  const SessionCommand command =
      reader.one_of("command", parse_socket_command, "step, observe, undo, reset");
  if (auto error = problems.as_error("message")) {
    return *std::move(error);
  }
  document.erase("id");
  document.erase("command");
  return session_ask(std::move(document), session, command);
}

// unauthenticated when the caller's token is good no more.
Async<void> check_token(CallerWatch& watch) {
  const Result<CallerChange> change = co_await watch.look();
  HONE_CO_CHECK(change);
  if (*change == CallerChange::gone) {
    co_return fail(ErrorCode::unauthenticated,
                   "the token was revoked or is over, or has another secret now");
  }
  co_return Result<void>();
}

// The answer's text. unauthenticated when the caller's token is good no more, not_found when the
// session is gone: nothing comes after these.
Async<std::string> answer(Sessions& sessions, const std::string& session, CallerWatch& watch,
                          std::string_view text, std::optional<std::int64_t>& id) {
  HONE_CO_TRY(SessionAsk asked, parse_message(text, session, id));
  const Result<void> good = co_await check_token(watch);
  HONE_CO_CHECK(good);
  const Caller& caller = watch.caller();
  HONE_CO_CHECK(sessions.table.use(session, caller.token_id, caller.role == Role::admin));
  const Result<SealedReply> reply = co_await ask_session(sessions, std::move(asked.request),
                                                         std::move(asked.wish), caller.token_id);
  HONE_CO_CHECK(reply);
  co_return session_state(sessions, session, *reply, id);
}

std::string problem_text(const Error& error, std::optional<std::int64_t> id) {
  Json told{{"problem", problem_document(open_error(error))}};
  if (id) {
    told["id"] = *id;
  }
  return dump_json(told);
}

// Until there is a message, or the end (true), or the token is good no more, which the client is
// told. An error of the store says nothing about the token, and it is looked at again.
boost::asio::awaitable<bool> wait_for_message(CallerWatch& watch, MessageChannel& channel) {
  for (;;) {
    const bool there = co_await channel.wait(kLook);
    if (there) {
      co_return true;
    }
    const Result<void> good = co_await check_token(watch);
    if (!good && good.error().code == ErrorCode::unauthenticated) {
      std::string last = problem_text(good.error(), std::nullopt);
      co_await channel.send(std::move(last));
      co_return false;
    }
  }
}

boost::asio::awaitable<void> converse(Sessions& sessions, std::string session, CallerWatch watch,
                                      MessageChannel& channel) {
  for (;;) {
    const bool there = co_await wait_for_message(watch, channel);
    if (!there) {
      co_return;
    }
    const std::optional<std::string> text = co_await channel.receive();
    if (!text) {
      co_return;
    }
    std::optional<std::int64_t> id;
    Result<std::string> reply = co_await answer(sessions, session, watch, *text, id);
    const bool closed = !reply && (reply.error().code == ErrorCode::not_found ||
                                   reply.error().code == ErrorCode::unauthenticated);
    std::string told = reply ? *std::move(reply) : problem_text(reply.error(), id);
    const bool sent = co_await channel.send(std::move(told));
    if (!sent || closed) {
      co_return;
    }
  }
}

}  // namespace

Async<Reply> open_session_socket(Api& api, Request& request) {
  HONE_CO_TRY(const OwnSession own, own_session(api, request));
  Reply reply;
  Sessions* const sessions = own.sessions;
  reply.messages = [sessions, id = own.id, watch = CallerWatch(api.store, request.caller)](
                       MessageChannel& channel) { return converse(*sessions, id, watch, channel); };
  co_return reply;
}

}  // namespace hone
