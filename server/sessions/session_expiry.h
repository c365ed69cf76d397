// Closes sessions that nobody uses. Not thread safe.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "server/jobs/background.h"
#include "server/sessions/sessions.h"

namespace hone {

// Runs until `background` stops.
boost::asio::awaitable<void> expire_sessions(Sessions& sessions, Background& background);

}  // namespace hone
