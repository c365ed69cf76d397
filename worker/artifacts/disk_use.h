// What folders take up on disk, what of it is new, and how much room there is. Thread safe.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <limits>
#include <vector>

#include "worker/artifacts/held_files.h"

namespace hone {

struct DiskLimits {
  std::uint64_t bytes = std::uint64_t{32} << 30U;  // of all folders of a step together, on disk
  std::uint64_t entries = 2'000'000;               // files and folders
  std::uint64_t reserve_bytes = std::uint64_t{1} << 30U;  // stay free, whoever writes
};

// How deep folders may be nested: whoever walks them later holds a descriptor for every level.
inline constexpr int kMaxNesting = 200;

struct DiskUse {
  std::uint64_t bytes = 0;  // of a file with several names, once
  std::uint64_t entries = 0;
  // Of these, what changed since a time: files that were written, made or linked, whatever their
  // own times pretend.
  std::uint64_t new_bytes = 0;
  std::uint64_t new_entries = 0;
  bool too_deep = false;  // what lies deeper than kMaxNesting is not counted
};

// What lies in these folders, and files themselves; links in them are not followed, and what
// vanishes meanwhile is passed over.
DiskUse disk_use(const std::vector<std::filesystem::path>& paths);

// The same with what the processes of a step hold besides, which is new since it is theirs alone.
// `since` is of the clock of file times: file_time_now().
DiskUse disk_use(const std::vector<std::filesystem::path>& paths, const HeldFiles& held,
                 const timespec& since);
timespec file_time_now();

// What is free for us on a file system.
struct DiskRoom {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t files = std::numeric_limits<std::uint64_t>::max();  // also where it counts none
};

// All there can be for a folder that is not there: whoever uses it will say what is wrong with it.
DiskRoom room_at(const std::filesystem::path& folder);

// Whether that is more than the reserve, in bytes and in files.
bool is_enough(const DiskRoom& room, const DiskLimits& limits);

// is_enough(room_at(folder), limits)
bool has_room(const std::filesystem::path& folder, const DiskLimits& limits);

// Whether a step that left this much on disk is why there is no longer room: what it made is more
// than the reserve, so that the disk was not all but full before it began, and at least half of
// what has gone meanwhile, so that others took no more than it did. In bytes or in files, whichever
// is short. What it cannot be shown to have done, it is not blamed for.
bool filled_disk(const DiskUse& use, const DiskRoom& before, const DiskRoom& now,
                 const DiskLimits& limits);

}  // namespace hone
