// What the ways to a compile session share, one request each or a WebSocket. Not thread safe.
#pragma once

#include <string>

#include "common/json/document.h"
#include "server/api/api.h"
#include "server/sessions/logged_request.h"
#include "server/sessions/sessions.h"

namespace hone {

inline constexpr Roles kSteppers{Role::submitter, Role::learner};

bool is_admin(const Request& request);

// unsupported if this honed serves none.
Result<Sessions*> sessions_of(const Api& api);

// The session that the path names, if it is the caller's; counts as a use of it.
struct OwnSession {
  Sessions* sessions = nullptr;
  std::string id;
};
Result<OwnSession> own_session(const Api& api, const Request& request);

// The document as a request to the session server, which checks what is in it; session and command
// are not the document's to say. Every bad field is named.
Result<SessionRequest> session_command(Json body, const std::string& session,
                                       SessionCommand command);

// The same with what a document may say for the log beside it.
struct SessionAsk {
  SessionRequest request;
  LogWish wish;
};
Result<SessionAsk> session_ask(Json body, const std::string& session, SessionCommand command);

// A reply as the API shows it, with the id that whoever asked gave; of a logged session with its
// episode.
std::string session_state(const Sessions& sessions, const std::string& id, const SealedReply& reply,
                          std::optional<std::int64_t> asked = {});

// GET /v1/sessions/{id}/socket.
Async<Reply> open_session_socket(Api& api, Request& request);

}  // namespace hone
