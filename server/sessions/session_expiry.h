// Closes sessions that nobody uses, or may use any more. Not thread safe.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "server/jobs/background.h"
#include "server/sessions/sessions.h"
#include "server/store/store.h"

namespace hone {

// Closes sessions that were taken out of the table; `why` is for the log.
boost::asio::awaitable<void> close_sessions(Sessions& sessions, std::vector<std::string> ids,
                                            std::string why);

// Closes those that were not used for too long. Runs until `background` stops.
boost::asio::awaitable<void> expire_sessions(Sessions& sessions, Background& background);

// Closes those whose token was revoked or is over, as soon as the database says that tokens
// changed, by whichever honed, and otherwise within half a minute. Runs until `background` stops
// and the store is closed.
boost::asio::awaitable<void> watch_owners(Sessions& sessions, Store& store, Background& background);

}  // namespace hone
