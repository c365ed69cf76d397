#include "engine/session/session_server.h"

#include <sys/prctl.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "engine/llvm/module_io.h"
#include "engine/llvm/session.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Processes that die of a history that an earlier one lived through.
constexpr int kMaxRestarts = 2;

// A program's file, gone with the last session that uses it.
struct ProgramFile {
  explicit ProgramFile(fs::path where) : path(std::move(where)) {}
  ~ProgramFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  ProgramFile(const ProgramFile&) = delete;
  ProgramFile& operator=(const ProgramFile&) = delete;
  const fs::path path;
};

enum class Stage {
  coming,   // a fork that waits for its original
  parked,   // no process
  loading,  // it applies the history
  idle,
  running,  // `current`
};

void keep_first(std::vector<std::string>& history, std::size_t count) {
  history.resize(std::min(count, history.size()));
}

// The history after a reply without error.
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

struct SessionServer::Session {
  std::string name;
  std::shared_ptr<const ProgramFile> program;
  bool verify = true;
  bool allowed_only = true;
  std::vector<std::string> history;
  std::map<std::string, std::string> failed;  // pipelines, and how
  std::deque<Accepted> waiting;
  std::optional<Accepted> current;
  std::optional<SessionProcess> process;
  Stage stage = Stage::parked;
  bool opened = false;     // its program was loaded once
  bool over_time = false;  // why the process was killed
  int restarts = 0;
  Clock::time_point used = Clock::now();
};

SessionServer::SessionServer(SessionServerSettings settings, Deliver deliver)
    : settings_(std::move(settings)), deliver_(std::move(deliver)) {
  // Copies of processes become ours.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}
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
  auto file = std::make_shared<const ProgramFile>(settings_.folder /
                                                  ("program-" + std::to_string(++programs_)));
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
    if (session.current->command == SessionCommand::close) {
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
  reply.head.id = session.current->id;
  reply.head.length = static_cast<std::int64_t>(session.history.size());
  const std::deque<Accepted> waiting = std::move(session.waiting);
  const std::string name = session.name;
  drop(name);
  deliver_(reply);
  refuse_all(waiting, "session '" + name + "' is closed");
}

void SessionServer::start(Session& session) {
  park_some(&session);
  Result<SessionProcess> process =
      SessionProcess::start(settings_.process, settings_.vocabulary.get());
  if (!process) {
    SealedReply reply;
    reply.head.error = process.error();
    finish(session, std::move(reply));
    return;
  }
  session.process = *std::move(process);
  session.stage = Stage::loading;
  session.over_time = false;
  session.process->begin_request();
  const SessionStart from = {session.program->path.string(), session.verify, session.allowed_only,
                             session.history};
  if (!session.process->send(dump_json(to_json(from)))) {
    died(session);
  }
}

void SessionServer::send(Session& session) {
  if (session.current->command == SessionCommand::fork) {
    copy(session);
  }
  session.stage = Stage::running;
  session.over_time = false;
  session.process->begin_request();
  if (!session.process->send(session.current->text)) {
    died(session);
  }
}

// A fork's observations are the original's, which goes on to answer for them.
void SessionServer::copy(Session& session) {
  Session& added = *sessions_.at(session.current->into);
  added.program = session.program;
  added.verify = session.verify;
  added.allowed_only = session.allowed_only;
  added.history = session.history;
  added.failed = session.failed;
  added.opened = true;
  added.used = Clock::now();
  // Without a process of its own it is a parked one, which loses time but nothing else.
  Result<SessionProcess> process = session.process->copy();
  added.stage = process ? Stage::idle : Stage::parked;
  if (process) {
    added.process = *std::move(process);
  }
  park_some(&session);
}

void SessionServer::take(Session& session, const std::string& text) {
  Result<SealedReply> read = parse_sealed_reply(text);
  SealedReply reply;
  if (read) {
    reply = *std::move(read);
  } else {
    reply.head.error = read.error();
  }
  if (session.stage == Stage::loading && !reply.head.error) {
    session.opened = true;
    session.restarts = 0;
    send(session);
    return;
  }
  session.stage = Stage::idle;
  if (reply.head.error) {
    // A refused request changed nothing here; its process may have got some way before.
    session.process.reset();
    session.stage = Stage::parked;
  }
  finish(session, std::move(reply));
}

void SessionServer::finish(Session& session, SealedReply reply) {
  const Accepted request = *std::exchange(session.current, std::nullopt);
  ReplyHead& head = reply.head;
  head.id = request.id;
  if (!head.error) {
    follow(request, head.applied, session.history);
    head.length = static_cast<std::int64_t>(session.history.size());
    if (head.outcome != StepOutcome::ok && session.failed.size() < kMaxMasked) {
      session.failed[head.pipeline] = to_string(head.outcome);
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
  const bool steps = session.current->command == SessionCommand::step ||
                     session.current->command == SessionCommand::open;
  const std::int64_t pipeline = session.process->pipeline();
  const std::string why =
      session.over_time
          ? "took more than " + std::to_string(settings_.pipeline_limit.count()) + " ms"
          : end.describe();
  if (!steps || pipeline < 0 ||
      pipeline >= static_cast<std::int64_t>(session.current->pipelines.size())) {
    reply.error = fail(session.over_time ? ErrorCode::timed_out : ErrorCode::internal,
                       std::string(to_string(session.current->command)) +
                           " ended the session's process, which was replaced: " + why);
    return reply;
  }
  reply.outcome = session.over_time     ? StepOutcome::timed_out
                  : end.out_of_memory() ? StepOutcome::limit_exceeded
                                        : StepOutcome::crashed;
  reply.applied = pipeline;
  reply.changed = pipeline > 0;
  reply.pipeline = session.current->pipelines[static_cast<std::size_t>(pipeline)];
  reply.reason = why;
  return reply;
}

void SessionServer::died(Session& session) {
  session.process->kill();
  const ProcessEnd end = session.process->wait();
  const Stage stage = session.stage;
  SealedReply reply = seal(SessionReply());
  if (stage == Stage::running) {
    reply.head = failure_of(session, end);
    abandon_fork(*session.current, "session '" + session.name + "' died of being copied");
  } else if (stage == Stage::loading) {
    reply.head.error =
        fail(session.over_time ? ErrorCode::timed_out : ErrorCode::internal,
             "the session's process " + end.describe() + " while it loaded the program");
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

void SessionServer::drop(const std::string& name) {
  sessions_.erase(name);
}

std::size_t SessionServer::processes() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      sessions_, [](const auto& entry) { return entry.second->process.has_value(); }));
}

bool SessionServer::idle() const {
  return std::ranges::all_of(sessions_,
                             [](const auto& entry) { return !entry.second->current.has_value(); });
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

void SessionServer::add_channels(std::vector<pollfd>& polled) const {
  for (const auto& [name, session] : sessions_) {
    if (session->process) {
      polled.push_back({session->process->channel(), POLLIN, 0});
    }
  }
}

std::chrono::milliseconds SessionServer::next_deadline() const {
  std::chrono::milliseconds next = settings_.idle_limit;
  for (const auto& [name, session] : sessions_) {
    if (session->stage == Stage::running || session->stage == Stage::loading) {
      const auto left =
          settings_.pipeline_limit -
          std::chrono::duration_cast<std::chrono::milliseconds>(session->process->running_for());
      next = std::clamp(left, std::chrono::milliseconds(1), next);
    } else if (session->stage == Stage::idle) {
      const auto left =
          settings_.idle_limit -
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - session->used);
      next = std::clamp(left, std::chrono::milliseconds(1), next);
    }
  }
  return next;
}

// The sessions that have something to read, or too little left to wait for.
std::vector<std::string> SessionServer::due(std::span<const pollfd> polled) const {
  std::vector<int> readable;
  for (const pollfd& channel : polled) {
    if (channel.revents != 0) {
      readable.push_back(channel.fd);
    }
  }
  const auto now = Clock::now();
  std::vector<std::string> names;
  for (const auto& [name, session] : sessions_) {
    if (!session->process) {
      continue;
    }
    const bool over = session->stage == Stage::idle
                          ? now - session->used >= settings_.idle_limit
                          : session->process->running_for() >= settings_.pipeline_limit;
    if (over || std::ranges::find(readable, session->process->channel()) != readable.end()) {
      names.push_back(name);
    }
  }
  return names;
}

void SessionServer::handle(std::span<const pollfd> polled) {
  for (const std::string& name : due(polled)) {
    const auto found = sessions_.find(name);
    if (found == sessions_.end() || !found->second->process) {
      continue;
    }
    Session& session = *found->second;
    // Asked again: what came before in this turn may have put another process behind the number.
    pollfd channel = {session.process->channel(), POLLIN, 0};
    if (poll(&channel, 1, 0) > 0) {
      const Result<Message> message = session.process->receive();
      if (message) {
        take(session, message->text);
      } else {
        died(session);
      }
    } else if (session.stage == Stage::idle) {
      if (Clock::now() - session.used >= settings_.idle_limit) {
        session.process.reset();
        session.stage = Stage::parked;
      }
    } else if (session.process->running_for() >= settings_.pipeline_limit) {
      session.over_time = true;
      died(session);
    }
    advance(name);
  }
}

}  // namespace hone
