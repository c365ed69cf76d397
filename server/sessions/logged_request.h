// A request to a session, and what the log keeps of it. Not thread safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/sessions/sessions.h"

namespace hone {

// What a caller says beside the session's request, for the log alone.
struct LogWish {
  bool log = false;                                     // open: the session is to be logged
  std::optional<std::vector<double>> log_propensities;  // step, open: one a pipeline
};

// As SessionHost::ask(), for sessions that are logged or not: this alone decides what is logged of
// a request and its reply. The reply of a session that is not
// logged passes through unread. `caller` is the id of the
// token that asks. invalid_argument for propensities where there is no log.
Async<SealedReply> ask_session(Sessions& sessions, SessionRequest request, LogWish wish,
                               std::string caller);

// An open with a log. `program` is the artifact's hash. Pipelines that are to be applied right away
// are a step of their own, so that the program as it came is a state of the log.
Async<SealedReply> open_logged(Sessions& sessions, SessionRequest request, LogWish wish,
                               std::string caller, std::string program);

}  // namespace hone
