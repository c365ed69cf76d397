// What is logged of the sessions that want it: of each request that was answered, one row.
//
// An episode goes from a session's opening, a fork or a reset to the next reset or the session's
// end. Its last row says how many there were: with fewer it is incomplete, and never taken for
// whole. Requests that were refused changed nothing and are no rows. Not thread safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/sessions/session_request.h"
#include "server/sessions/log_queue.h"

namespace hone {

// Where the passes run, and whose they are.
struct LogPlace {
  MachineInfo machine;
  std::string compiler;
};

class SessionLog {
 public:
  SessionLog(LogLimits limits, LogPlace place) : place_(std::move(place)), queue_(limits) {}

  // Whether the session is logged: then each of its requests asks for kStateName, too.
  bool follows(const std::string& session) const { return followed_.contains(session); }
  // The session's episode that is under way.
  const std::string& episode_of(const std::string& session) const;

  // From here on the session is logged. `token` is its owner's id, `program` the artifact's hash.
  void begin(const std::string& session, const std::string& token, const std::string& program,
             const SessionReply& opened);
  // A step, observe, undo or reset that was answered; `log_propensities` as in LoggedStep. True if
  // the reply does not show the state it came to, as that of a process that died does not: then an
  // observe should follow at once.
  bool note(const SessionRequest& request, const std::vector<double>& log_propensities,
            const SessionReply& reply);
  // What that observe showed; null if it failed.
  void note_state(const std::string& session, const SessionReply* reply);
  // The copy is logged as its original is.
  void fork(const SessionRequest& request, const std::string& token, const SessionReply& reply);
  // The session is over, for this reason. Nothing if it is not logged.
  void end(const std::string& session, std::string_view why);
  void end_all(std::string_view why);

  const LogPlace& place() const { return place_; }
  LogQueue& queue() { return queue_; }
  const LogQueue& queue() const { return queue_; }

 private:
  struct Followed {
    std::shared_ptr<const LoggedEpisode> episode;
    std::int64_t entries = 0;
    std::int64_t dropped = 0;
    std::int64_t length = 0;
    std::string state;                  // empty: not known
    std::optional<LoggedStep> pending;  // a step whose state is looked for
  };

  Followed start(LoggedEpisode episode, const SessionReply& reply);
  LoggedStep row(const Followed& followed, StepKind kind, const SessionReply& reply) const;
  void push(Followed& followed, LoggedStep step);
  void settle(Followed& followed);
  void finish(Followed& followed, std::string_view why);

  LogPlace place_;
  LogQueue queue_;
  std::map<std::string, Followed> followed_;
};

// The observation that names a state in the log.
inline constexpr ObservationSpace kStateName = ObservationSpace::bitcode_sha256;

}  // namespace hone
