// What the body of a session's request says for the log alone. Thread safe.
#pragma once

#include "common/json/document.h"
#include "common/sessions/session_request.h"
#include "server/sessions/logged_request.h"

namespace hone {

// Takes "log" (open) and "log_propensities" (open, step) out of the document, so that what is left
// is the session server's. invalid_argument with every bad field. A document that is no object, or
// a key where it has no place, stays as it is.
Result<LogWish> take_log_wish(Json& document, SessionCommand command);

}  // namespace hone
