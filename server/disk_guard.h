// Keeps a private PostgreSQL alive on a disk that fills up: before it cannot write its log any
// more, which ends it, the store stops writing; when there is room again, it goes on.
//
// A file beside the cluster holds some room back for that moment. It is given up when the disk is
// nearly full (whoever fills it may be faster than our look, once a second) and taken again when
// there is plenty.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include <boost/asio/awaitable.hpp>

#include "server/jobs/background.h"
#include "server/store/store.h"

namespace hone {

struct DiskGuardOptions {
  std::filesystem::path folder;                          // on the cluster's disk
  std::int64_t least_bytes = std::int64_t{48} << 20U;    // three segments of PostgreSQL's log
  std::int64_t ballast_bytes = std::int64_t{32} << 20U;  // two of them
  std::chrono::milliseconds interval{500};
};

// What uploads into `uploads` leave free for the database: nothing if that lies on another disk. On
// the same one it is more than what the store stops writing at, and goes on again at: uploads alone
// must not bring that about, and what was removed to make room is not uploaded right away.
std::int64_t kept_from_uploads(const std::filesystem::path& uploads,
                               const DiskGuardOptions& options);

// Runs until `background` stops. A disk that cannot be asked is taken to have room; that is logged.
boost::asio::awaitable<void> guard_disk(Store& store, Background& background,
                                        DiskGuardOptions options);

}  // namespace hone
