// Compile sessions by name, each in a process of its own.
//
// What a session is, the server knows without its process: the program (a copy of the file it was
// opened with) and the pipelines so far. A process that dies of a pipeline or takes too long is
// replaced by one that applies what came before; the pipeline's outcome is the answer. Processes of
// sessions that are idle, or more than may live at once, are ended (parked) and made again when the
// session is used.
//
// Requests go to a process as they came, and of its replies only the head is read: what a step
// costs here does not depend on what is observed. A process that was taken over by what it compiles
// can spoil its own session's replies and nothing else: it is never waited for, and one that says
// what it may not say, or unasked, is ended like one that died. Not thread safe.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/sessions/sealed_reply.h"
#include "common/sessions/session_request.h"
#include "engine/session/session_process.h"

namespace hone {

struct SessionServerSettings {
  std::filesystem::path folder;  // ours alone, for programs
  ProcessLimits process;
  std::shared_ptr<const Ir2VecVocabulary> vocabulary;  // for the observation Ir2vec; may be null
  std::chrono::milliseconds pipeline_limit{30'000};    // wall time of one pipeline or observation
  std::chrono::milliseconds idle_limit{300'000};       // then a session is parked
  std::size_t max_sessions = 10'000;
  std::size_t max_processes = 200;
  std::size_t max_waiting = 1'000;  // requests of one session
  // Of replies that are on their way, of all processes together: two of the longest there may be.
  std::size_t max_replies_bytes = 2 * kMaxReplyLineBytes;
  // What a process does; for tests of those that do something else.
  std::function<void(ChildEnds, const Ir2VecVocabulary*)> serve = serve_session;
};

class SessionServer {
 public:
  using Deliver = std::function<void(const SealedReply&)>;

  // `deliver` is called for each request once, from accept() or handle().
  SessionServer(SessionServerSettings settings, Deliver deliver);
  ~SessionServer();
  SessionServer(const SessionServer&) = delete;
  SessionServer& operator=(const SessionServer&) = delete;

  // Begins, queues or refuses. `text` is what the request was read from.
  void accept(SessionRequest asked, std::string text);

  // What to poll for, besides the caller's own, and for what; and the time until handle() is due
  // all the same.
  void add_channels(std::vector<pollfd>& polled) const;
  std::chrono::milliseconds next_deadline() const;
  // Reads what is there, among the channels that `polled` has something for, and ends what is over
  // time.
  void handle(std::span<const pollfd> polled);

  bool idle() const;  // no request is under way
  std::size_t sessions() const { return sessions_.size(); }
  std::size_t processes() const;

 private:
  struct Session;
  enum class Stage;
  struct Accepted : SessionRequest {
    std::string text;
  };

  void open(Accepted request);
  void advance(const std::string& name);
  void close(Session& session);
  void start(Session& session);
  void send(Session& session);
  void copy(Session& session);
  void handle_process(Session& session);
  void bound_replies(const std::string& name);
  void settle_copy(Session& original, const std::string& name);
  void take(Session& session, const std::string& text);
  void end_for(Session& session, const Error& wrong);
  void refuse_current(Session& session, Error error);
  void finish(Session& session, SealedReply reply);
  void died(Session& session);
  void park_some(const Session* spared);
  void refuse(std::int64_t id, Error error) const;
  void refuse_all(const std::deque<Accepted>& requests, const std::string& why);
  Result<void> reserve(const std::string& name);
  Result<void> check_new(const std::string& name) const;
  void abandon_fork(const SessionRequest& request, const std::string& why);
  ReplyHead failure_of(const Session& session, const ProcessEnd& end) const;
  std::chrono::nanoseconds time_left(const Session& session,
                                     std::chrono::steady_clock::time_point now) const;
  std::vector<std::string> due(std::span<const pollfd> polled) const;
  void drop(const std::string& name);

  SessionServerSettings settings_;
  Deliver deliver_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
  std::size_t programs_ = 0;  // that were opened; names their files
};

}  // namespace hone
