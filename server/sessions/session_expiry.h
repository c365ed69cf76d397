// Closes sessions that nobody uses, or may use any more. Not thread safe.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "server/jobs/background.h"
#include "server/sessions/sessions.h"

namespace hone {

// Closes sessions that were taken out of the table; `why` is for the log.
boost::asio::awaitable<void> close_sessions(Sessions& sessions, std::vector<std::string> ids,
                                            std::string why);

// Runs until `background` stops.
boost::asio::awaitable<void> expire_sessions(Sessions& sessions, Background& background);

}  // namespace hone
