// How much room a disk has, and the errors of one that has none. Thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/base/result.h"

namespace hone {

struct DiskSpace {
  std::int64_t free_bytes = 0;  // for programs without root's reserve
  std::int64_t total_bytes = 0;
};

// Of the file system that holds `path`; io_failed.
Result<DiskSpace> disk_space(const std::filesystem::path& path);

// What is left free where nobody said how much: 1 GiB, or 5 % of a smaller disk.
std::int64_t usual_reserve(const DiskSpace& space);

// An error from errno: disk_full for a full disk, a quota or a limit of file sizes, else io_failed.
Error disk_error(const std::string& what, int reason);

// disk_full unless `wanted_bytes` more leave `reserve_bytes` free; io_failed.
Result<void> check_room(const std::filesystem::path& path, std::int64_t wanted_bytes,
                        std::int64_t reserve_bytes);

// Makes the folder and what is above it; syncs a folder's entries to disk. disk_full, io_failed.
Result<void> make_folder(const std::filesystem::path& folder);
Result<void> sync_folder(const std::filesystem::path& folder);

}  // namespace hone
