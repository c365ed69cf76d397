// Housekeeping of uploads: ends those that nobody goes on with, and removes bytes that belong to
// none. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>

#include <boost/asio/awaitable.hpp>

#include "server/jobs/background.h"
#include "server/store/artifacts/upload_spool.h"
#include "server/store/store.h"

namespace hone {

// Often enough that a token that begins and ends uploads fills no disk meanwhile.
struct UploadSweeperOptions {
  std::chrono::milliseconds first{60'000};
  std::chrono::milliseconds interval{300'000};
};

// Runs until `background` stops. What fails is logged and tried again the next time.
boost::asio::awaitable<void> sweep_uploads(Store& store, UploadSpool& spool, Background& background,
                                           UploadSweeperOptions options);

// One round of it; gives how many files it removed.
boost::asio::awaitable<std::int64_t> end_uploads(Store& store, UploadSpool& spool);

}  // namespace hone
