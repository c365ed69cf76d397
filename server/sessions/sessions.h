// The compile sessions that honed serves. Not thread safe.
#pragma once

#include "server/sessions/session_host.h"
#include "server/sessions/session_log.h"
#include "server/sessions/session_table.h"

namespace hone {

struct Sessions {
  Sessions(boost::asio::any_io_executor executor, SessionHostOptions options, SessionLimits limits,
           LogPlace place, LogLimits log_limits = {})
      : table(limits),
        log(log_limits, std::move(place)),
        host(std::move(executor), std::move(options), [this] {
          table.clear();
          log.end_all("the session server ended");
        }) {}

  SessionTable table;
  SessionLog log;
  SessionHost host;
};

}  // namespace hone
