// The compile sessions that honed serves. Not thread safe.
#pragma once

#include "server/sessions/session_host.h"
#include "server/sessions/session_table.h"

namespace hone {

struct Sessions {
  Sessions(boost::asio::any_io_executor executor, SessionHostOptions options, SessionLimits limits)
      : table(limits), host(std::move(executor), std::move(options), [this] { table.clear(); }) {}

  SessionTable table;
  SessionHost host;
};

}  // namespace hone
