// SessionServer: processes of sessions begun, copied, parked and replaced.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/session/server_session.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

// Processes that die of a history that an earlier one lived through.
constexpr int kMaxRestarts = 2;

}  // namespace

void SessionServer::start(Session& session) {
  park_some(&session);
  Result<SessionProcess> process = SessionProcess::start(settings_.process, [this](ChildEnds ends) {
    settings_.serve(std::move(ends), settings_.vocabulary.get());
  });
  if (!process) {
    SealedReply reply;
    reply.head.error = process.error();
    finish(session, std::move(reply));
    return;
  }
  session.process = *std::move(process);
  session.stage = Stage::loading;
  session.over_time = false;
  const SessionStart from = {session.program->path.string(), session.verify, session.allowed_only,
                             session.history};
  if (!there(session.process).send(dump_json(to_json(from)), session.history.size())) {
    died(session);
  }
}

void SessionServer::send(Session& session) {
  const SessionCommand command = there(session.current).command;
  if (command == SessionCommand::fork) {
    copy(session);
  }
  session.stage = Stage::running;
  session.over_time = false;
  const bool looks = command == SessionCommand::observe || command == SessionCommand::fork;
  const std::size_t pipelines =
      looks ? 0 : session.history.size() + there(session.current).pipelines.size();
  if (!there(session.process).send(std::move(there(session.current).text), pipelines)) {
    died(session);
  }
}

// A fork's observations are the original's, which goes on to answer for them.
void SessionServer::copy(Session& session) {
  Session& added = *sessions_.at(there(session.current).into);
  added.program = session.program;
  added.verify = session.verify;
  added.allowed_only = session.allowed_only;
  added.history = session.history;
  added.failed = session.failed;
  added.failed_bytes = session.failed_bytes;
  added.opened = true;
  added.used = Clock::now();
  Result<SessionProcess> process = there(session.process).copy();
  if (process) {
    added.process = *std::move(process);
  }
  park_some(&session);
}

// Its original has answered, and had handed it over before that. Without a process of its own it is
// a parked one, which loses time but nothing else; so is an original that may have made a process
// which it did not hand over, and which ends with it.
void SessionServer::settle_copy(Session& original, const std::string& name) {
  Session& added = *sessions_.at(name);
  const bool met = added.process && added.process->meet();
  if (!met && added.process) {
    added.process.reset();
    original.process.reset();
    original.stage = Stage::parked;
  }
  added.stage = met ? Stage::idle : Stage::parked;
}

void SessionServer::died(Session& session) {
  there(session.process).kill();
  const ProcessEnd end = there(session.process).wait();
  const Stage stage = session.stage;
  SealedReply reply = seal(SessionReply());
  if (stage == Stage::running) {
    reply.head = failure_of(session, end);
    abandon_fork(there(session.current), "session '" + session.name + "' died of being copied");
  } else if (stage == Stage::loading) {
    reply.head.error = session.over_time
                           ? fail(ErrorCode::timed_out, "the session's process " + end.describe() +
                                                            " while it loaded the program")
                           : end.error_of("loading the program '" + session.program->name + "'");
  }
  session.process.reset();
  session.stage = Stage::parked;
  if (stage == Stage::idle) {
    return;  // the next request starts another
  }
  if (stage == Stage::loading && session.opened && ++session.restarts <= kMaxRestarts) {
    start(session);
    return;
  }
  finish(session, std::move(reply));
}

std::size_t SessionServer::processes() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      sessions_, [](const auto& entry) { return entry.second->process.has_value(); }));
}

// Ends the processes that have been idle longest until one more may live.
void SessionServer::park_some(const Session* spared) {
  std::size_t living = processes();
  while (living >= settings_.max_processes) {
    Session* oldest = nullptr;
    for (const auto& [name, session] : sessions_) {
      if (session->stage == Stage::idle && session.get() != spared && !session->current &&
          (oldest == nullptr || session->used < oldest->used)) {
        oldest = session.get();
      }
    }
    if (oldest == nullptr) {
      return;  // all are at work: one more is better than one that waits for ever
    }
    oldest->process.reset();
    oldest->stage = Stage::parked;
    --living;
  }
}

}  // namespace hone
