// Which request this is: ids for the log, for the answer and for whatever is done on its behalf.
// For files of server/http. Thread safe.
#pragma once

#include <string>
#include <string_view>

#include "server/http/message.h"

namespace hone {

// Whether a client's X-Request-Id is taken: 1 to 128 letters, digits and ._~+/=:@- that hold no
// secret of ours.
bool is_request_id(std::string_view text);

// A fresh one: unique among all coordinators, cheap to make.
std::string make_request_id();

// Fills `context` and `trace` from the request's headers, which must be there.
void identify(Request& request);

}  // namespace hone
