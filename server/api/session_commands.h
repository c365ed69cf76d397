// What the ways to a compile session share, one request each or a WebSocket. Not thread safe.
#pragma once

#include <string>

#include "common/json/document.h"
#include "server/api/api.h"
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

// Has the session server do it. Everything that is asked of a session passes here, so that request
// and reply can be looked at together; a reply goes on unread, and whoever needs more of it than
// its head opens it (open_reply).
Async<SealedReply> ask_session(Sessions& sessions, SessionRequest request);

// GET /v1/sessions/{id}/socket.
Async<Reply> open_session_socket(Api& api, Request& request);

}  // namespace hone
