// Which sessions there are, and the order of what is asked of each.
#include "engine/session/session_server.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "common/base/file.h"
#include "engine/llvm/module_io.h"
#include "engine/session/server_session.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

SessionServer::SessionServer(SessionServerSettings settings, Deliver deliver)
    : settings_(std::move(settings)), deliver_(std::move(deliver)) {}
SessionServer::~SessionServer() = default;

void SessionServer::refuse(std::int64_t id, Error error) const {
  SealedReply reply;
  reply.head.id = id;
  reply.head.error = std::move(error);
  deliver_(reply);
}

// The fork that will not come, and what waits for it.
void SessionServer::abandon_fork(const SessionRequest& request, const std::string& why) {
  const auto found =
      request.command == SessionCommand::fork ? sessions_.find(request.into) : sessions_.end();
  if (found != sessions_.end()) {
    const std::deque<Accepted> waiting = std::move(found->second->waiting);
    drop(request.into);
    refuse_all(waiting, why);
  }
}

// A place for a fork, so that requests for it may come before its original gets to it.
Result<void> SessionServer::reserve(const std::string& name) {
  HONE_CHECK(check_new(name));
  auto session = std::make_unique<Session>();
  session->name = name;
  session->stage = Stage::coming;
  sessions_.emplace(name, std::move(session));
  return {};
}

Result<void> SessionServer::check_new(const std::string& name) const {
  if (sessions_.contains(name)) {
    return fail(ErrorCode::conflict, "session '" + name + "' is open");
  }
  if (sessions_.size() >= settings_.max_sessions) {
    return fail(ErrorCode::unavailable,
                std::to_string(sessions_.size()) + " sessions are open, the most there may be");
  }
  return {};
}

void SessionServer::refuse_all(const std::deque<Accepted>& requests, const std::string& why) {
  for (const Accepted& request : requests) {
    refuse(request.id, fail(ErrorCode::not_found, why));
    abandon_fork(request, why);
  }
}

void SessionServer::accept(SessionRequest asked, std::string text) {
  Accepted request{std::move(asked), std::move(text)};
  if (request.command == SessionCommand::open) {
    open(std::move(request));
    return;
  }
  const auto found = sessions_.find(request.session);
  if (found == sessions_.end()) {
    refuse(request.id, fail(ErrorCode::not_found, "no session '" + request.session + "'"));
    return;
  }
  Session& session = *found->second;
  if (session.waiting.size() >= settings_.max_waiting) {
    refuse(request.id, fail(ErrorCode::unavailable, "session '" + request.session + "' has " +
                                                        std::to_string(session.waiting.size()) +
                                                        " requests waiting"));
    return;
  }
  if (request.command == SessionCommand::fork) {
    const Result<void> reserved = reserve(request.into);
    if (!reserved) {
      refuse(request.id, reserved.error());
      return;
    }
  }
  const std::string name = request.session;
  session.waiting.push_back(std::move(request));
  advance(name);
}

void SessionServer::open(Accepted request) {
  const Result<void> possible = check_new(request.session);
  if (!possible) {
    refuse(request.id, possible.error());
    return;
  }
  const Result<std::string> bytes = read_file(request.program, kMaxProgramBytes);
  auto file = std::make_shared<const ProgramFile>(
      settings_.folder / ("program-" + std::to_string(++programs_)),
      std::filesystem::path(request.program).filename().string());
  const Result<void> kept =
      bytes ? write_file_atomically(file->path, *bytes, 0600) : Result<void>(bytes.error());
  if (!kept) {
    refuse(request.id, kept.error());
    return;
  }
  auto session = std::make_unique<Session>();
  session->name = request.session;
  session->program = std::move(file);
  session->verify = request.verify;
  session->allowed_only = request.allowed_only;
  session->waiting.push_back(std::move(request));
  const std::string name = session->name;
  sessions_.emplace(name, std::move(session));
  advance(name);
}

// Takes up the next requests, as far as there is nothing else to do. The session may be gone then.
void SessionServer::advance(const std::string& name) {
  for (auto found = sessions_.find(name); found != sessions_.end(); found = sessions_.find(name)) {
    Session& session = *found->second;
    if (session.current || session.waiting.empty() || session.stage == Stage::coming) {
      return;
    }
    session.used = Clock::now();
    session.current = std::move(session.waiting.front());
    session.waiting.pop_front();
    if (there(session.current).command == SessionCommand::close) {
      close(session);
    } else if (session.stage == Stage::parked) {
      start(session);
    } else {
      send(session);
    }
  }
}

void SessionServer::close(Session& session) {
  SealedReply reply = seal(SessionReply());
  reply.head.id = there(session.current).id;
  reply.head.length = static_cast<std::int64_t>(session.history.size());
  const std::deque<Accepted> waiting = std::move(session.waiting);
  const std::string name = session.name;
  drop(name);
  deliver_(reply);
  refuse_all(waiting, "session '" + name + "' is closed");
}

void SessionServer::drop(const std::string& name) {
  sessions_.erase(name);
}

bool SessionServer::idle() const {
  return std::ranges::all_of(sessions_,
                             [](const auto& entry) { return !entry.second->current.has_value(); });
}

}  // namespace hone
