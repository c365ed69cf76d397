// What a session's process may say. Whatever it was made to do by what it compiles, the server goes
// on from replies that fit what it asked. Thread safe.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/base/result.h"
#include "common/sessions/sealed_reply.h"
#include "common/sessions/session_request.h"

namespace hone {

// The reply to a request of a session with `length` pipelines behind it. Refusals pass. internal
// with what is wrong: no reply; more pipelines applied than were asked for or than a session holds,
// or fewer without a reason; a failure of what was not asked for; more taken back than there is;
// what is masked, unasked or too much of it. Not checked is what is only passed on.
Result<SealedReply> read_process_reply(std::string_view text, const SessionRequest& request,
                                       std::size_t length);

}  // namespace hone
