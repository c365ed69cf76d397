// What a session's process does for the requests that reach it. Not thread safe.
#pragma once

#include "common/sessions/session_reply.h"
#include "common/sessions/session_request.h"
#include "engine/llvm/session.h"

namespace hone {

// Of step, undo, reset and observe, and of the first request of all, open, whose program is loaded
// already. Refused requests become replies with an error.
SessionReply answer(Session& session, const SessionRequest& request);

}  // namespace hone
