// The first token of a coordinator.
#pragma once

#include "server/data_folder.h"
#include "server/store/token_store.h"

namespace hone {

// The first token, when nobody could use the API otherwise. It is written down before it is made,
// so that a crash leaves a file that opens nothing, and never a token that nobody knows. Of
// several honeds that start together one makes it.
// conflict, unavailable, io_failed.
Async<void> ensure_first_token(TokenStore& tokens, DataFolder& folder);

}  // namespace hone
