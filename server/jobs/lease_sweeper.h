// Housekeeping of the queue: ends leases whose time is over. Not thread safe.
#pragma once

#include <chrono>
#include <functional>

#include <boost/asio/awaitable.hpp>

#include "server/jobs/background.h"
#include "server/store/store.h"

namespace hone {

struct SweeperOptions {
  std::int64_t lease_seconds = 60;
  std::chrono::milliseconds interval{1'000};
};

// Runs until `background` stops. First gives every lease its full time again, since no worker could
// send heartbeats while we were down; then looks every `interval`. A database that does not answer
// is tried again the next time. `ended` is called with each lease that ran out.
boost::asio::awaitable<void> sweep_leases(Store& store, Background& background,
                                          SweeperOptions options,
                                          std::function<void(const EndedLease&)> ended);

}  // namespace hone
