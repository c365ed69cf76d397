#include "server/sessions/logged_request.h"

#include <algorithm>
#include <utility>

namespace hone {
namespace {

// A request that shows the state, and hides it again from who did not ask.
class StateNamed {
 public:
  explicit StateNamed(SessionRequest& request) {
    hidden_ = std::ranges::find(request.observe, kStateName) == request.observe.end();
    if (hidden_) {
      request.observe.push_back(kStateName);
    }
  }
  // `reply` is `sealed`, opened.
  SealedReply hide(SealedReply sealed, SessionReply reply) const {
    if (!hidden_) {
      return sealed;
    }
    reply.observations.erase(std::string(to_string(kStateName)));
    return seal(reply);
  }

 private:
  bool hidden_ = false;
};

SessionRequest look_at(const std::string& session) {
  SessionRequest look;
  look.session = session;
  look.command = SessionCommand::observe;
  look.observe = {kStateName};
  return look;
}

Error no_log() {
  return Error{ErrorCode::invalid_argument,
               "bad session request",
               {{"/log_propensities",
                 "is for the log, and this session has none: open it with \"log\": true"}}};
}

Async<SealedReply> ask_logged(Sessions& sessions, SessionRequest request, LogWish wish,
                              std::string caller) {
  const StateNamed named(request);
  Result<SealedReply> answered = co_await sessions.host.ask(request);
  HONE_CO_TRY(SealedReply sealed, std::move(answered));
  HONE_CO_TRY(SessionReply reply, open_reply(sealed));
  if (request.command == SessionCommand::fork) {
    sessions.log.fork(request, caller, reply);
  } else if (sessions.log.note(request, wish.log_propensities.value_or(std::vector<double>()),
                               reply)) {
    // Its next request would make a new process of it, too: this only does so earlier.
    const Result<SealedReply> looked = co_await sessions.host.ask(look_at(request.session));
    const Result<SessionReply> seen = looked ? open_reply(*looked) : looked.error();
    sessions.log.note_state(request.session, seen ? &*seen : nullptr);
  }
  co_return named.hide(std::move(sealed), std::move(reply));
}

}  // namespace

Async<SealedReply> ask_session(Sessions& sessions, SessionRequest request, LogWish wish,
                               std::string caller) {
  if (sessions.log.follows(request.session)) {
    return ask_logged(sessions, std::move(request), std::move(wish), std::move(caller));
  }
  if (wish.log_propensities) {
    return []() -> Async<SealedReply> { co_return no_log(); }();
  }
  return sessions.host.ask(std::move(request));
}

Async<SealedReply> open_logged(Sessions& sessions, SessionRequest request, LogWish wish,
                               std::string caller, std::string program) {
  SessionRequest step;
  step.session = request.session;
  step.command = SessionCommand::step;
  step.pipelines = std::exchange(request.pipelines, {});
  const bool steps = !step.pipelines.empty();
  if (steps) {
    step.observe = std::exchange(request.observe, {});
    step.rewards = std::exchange(request.rewards, {});
    step.mask = std::exchange(request.mask, false);
  }
  const StateNamed named(request);
  const std::string session = request.session;
  Result<SealedReply> opened = co_await sessions.host.ask(std::move(request));
  HONE_CO_TRY(SealedReply sealed, std::move(opened));
  HONE_CO_TRY(SessionReply reply, open_reply(sealed));
  sessions.log.begin(session, caller, program, reply);
  if (steps) {
    Result<SealedReply> stepped =
        co_await ask_logged(sessions, std::move(step), std::move(wish), std::move(caller));
    if (!stepped) {
      SessionRequest close;
      close.session = session;
      close.command = SessionCommand::close;
      [[maybe_unused]] const Result<SealedReply> closed =
          co_await sessions.host.ask(std::move(close));
      sessions.log.end(session, "the pipelines it was opened with were refused");
    }
    co_return stepped;
  }
  co_return named.hide(std::move(sealed), std::move(reply));
}

}  // namespace hone
