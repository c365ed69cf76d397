// An Error as the API answers it. Thread safe.
#pragma once

#include "server/http/message.h"

namespace hone {

// The error without what is for the log alone (common/base/inside_text.h).
Error open_error(Error error);

// application/problem+json under the code's status, or under `status` if that is not 0. 401 gets
// its WWW-Authenticate header, 429 and 503 a Retry-After. Only the error's open part is told.
Reply problem_reply(const Error& error, int status = 0);

}  // namespace hone
