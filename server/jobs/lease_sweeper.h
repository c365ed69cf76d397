// Housekeeping of the queue: ends leases whose time is over, makes jobs ready whose pause is over,
// ends those past their deadline. Not thread safe.
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

// Runs until `background` stops, in every honed of a database. Each `interval` says that it serves
// (served_time.h), so that no lease ends by time in which no worker could send a heartbeat, and
// then ends those whose time is over. A database that does not answer is tried again the next time.
// `ended` is called with each lease that ran out.
boost::asio::awaitable<void> sweep_leases(Store& store, Background& background,
                                          SweeperOptions options,
                                          std::function<void(const EndedLease&)> ended);

}  // namespace hone
