// SessionServer: what comes of a request, by its process's reply or its process's end.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/session/reply_check.h"
#include "engine/session/server_session.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

// What failed is added to every reply that says what is masked.
constexpr std::size_t kMaxFailedBytes = std::size_t{1} << 20U;

void keep_first(std::vector<std::string>& history, std::size_t count) {
  history.resize(std::min(count, history.size()));
}

// The history after a reply without error, which read_process_reply() let pass.
void follow(const SessionRequest& request, std::int64_t applied,
            std::vector<std::string>& history) {
  switch (request.command) {
    case SessionCommand::open:
    case SessionCommand::step:
      history.insert(history.end(), request.pipelines.begin(), request.pipelines.begin() + applied);
      break;
    case SessionCommand::undo:
      keep_first(history, history.size() - static_cast<std::size_t>(request.count));
      break;
    case SessionCommand::reset:
      history.clear();
      break;
    case SessionCommand::observe:
    case SessionCommand::fork:
    case SessionCommand::close:
      break;
  }
}

}  // namespace

void SessionServer::take(Session& session, const std::string& text) {
  const bool loading = session.stage == Stage::loading;
  Result<SealedReply> reply =
      loading ? read_process_reply(text, SessionRequest(), 0)
              : read_process_reply(text, there(session.current), session.history.size());
  if (!reply) {
    end_for(session, reply.error());
  } else if (reply->head.error) {
    refuse_current(session, *reply->head.error);
  } else if (loading) {
    session.opened = true;
    session.restarts = 0;
    send(session);
  } else {
    session.stage = Stage::idle;
    finish(session, *std::move(reply));
  }
}

// Of a process that did what it may not do, nothing more is believed.
void SessionServer::end_for(Session& session, const Error& wrong) {
  refuse_current(session,
                 fail(ErrorCode::internal, "the session's process was ended: " + wrong.message));
}

// A refused request changed nothing here; its process may have got some way before.
void SessionServer::refuse_current(Session& session, Error error) {
  session.process.reset();
  session.stage = Stage::parked;
  SealedReply reply;
  reply.head.error = std::move(error);
  finish(session, std::move(reply));
}

void SessionServer::finish(Session& session, SealedReply reply) {
  const Accepted request = std::move(there(session.current));
  session.current.reset();
  ReplyHead& head = reply.head;
  head.id = request.id;
  if (!head.error) {
    follow(request, head.applied, session.history);
    head.length = static_cast<std::int64_t>(session.history.size());
    if (head.outcome != StepOutcome::ok && session.failed.size() < kMaxMasked &&
        session.failed_bytes + head.pipeline.size() <= kMaxFailedBytes) {
      const bool first =
          session.failed.insert_or_assign(head.pipeline, std::string(to_string(head.outcome)))
              .second;
      session.failed_bytes += first ? head.pipeline.size() : 0;
    }
    if (request.mask) {
      head.masked.insert(session.failed.begin(), session.failed.end());
    }
  }
  session.used = Clock::now();
  const std::string name = session.name;
  const bool never_opened = !session.opened;
  if (head.error) {
    abandon_fork(request, "session '" + name + "' could not be copied");
  } else if (request.command == SessionCommand::fork) {
    settle_copy(session, request.into);
  }
  deliver_(reply);
  if (request.command == SessionCommand::fork && !head.error) {
    advance(request.into);
  }
  if (never_opened) {
    // What waited for it has nothing to work on.
    const std::deque<Accepted> waiting = std::move(session.waiting);
    drop(name);
    refuse_all(waiting, "session '" + name + "' could not be opened");
  }
}

ReplyHead SessionServer::failure_of(const Session& session, const ProcessEnd& end) const {
  ReplyHead reply;
  const bool steps = there(session.current).command == SessionCommand::step ||
                     there(session.current).command == SessionCommand::open;
  const std::int64_t pipeline = there(session.process).pipeline();
  const std::string why =
      session.over_time
          ? "took more than " + std::to_string(settings_.pipeline_limit.count()) + " ms"
          : end.describe();
  if (!steps || pipeline < 0 ||
      pipeline >= static_cast<std::int64_t>(there(session.current).pipelines.size())) {
    const std::string what = std::string(to_string(there(session.current).command)) +
                             " of the program '" + session.program->name + "'";
    reply.error = session.over_time
                      ? fail(ErrorCode::timed_out,
                             what + " ended the session's process, which was replaced: " + why)
                      : end.error_of(what);
    return reply;
  }
  reply.outcome = session.over_time     ? StepOutcome::timed_out
                  : end.out_of_memory() ? StepOutcome::limit_exceeded
                                        : StepOutcome::crashed;
  reply.applied = pipeline;
  reply.changed = pipeline > 0;
  reply.pipeline = there(session.current).pipelines[static_cast<std::size_t>(pipeline)];
  reply.reason = why;
  return reply;
}

}  // namespace hone
