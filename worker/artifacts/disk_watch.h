// Watches what a step of a build writes, and stops it before the disk is full: limits on files
// (RLIMIT_FSIZE) hold for each file alone, and a full disk is the next job's trouble as well.
//
// A thread asks the file system every quarter of a second how much is left, and counts the folders
// now and then, for at most a fiftieth of the time. A step may so go past its limit for a moment.
// Thread safe for distinct folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace hone {

struct DiskLimits {
  std::uint64_t bytes = std::uint64_t{32} << 30U;  // of all folders of a step together, on disk
  std::uint64_t entries = 2'000'000;               // files and folders
  std::uint64_t reserve_bytes = std::uint64_t{1} << 30U;  // stay free, whoever writes
};

// How deep folders may be nested: whoever walks them later holds a descriptor for every level.
inline constexpr int kMaxNesting = 200;

struct DiskUse {
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
  bool too_deep = false;  // what lies deeper than kMaxNesting is not counted
};

// What lies in these folders; links are not followed, and what vanishes meanwhile is passed over.
DiskUse disk_use(const std::vector<std::filesystem::path>& folders);

// Whether the file system of this folder has more than the reserve free, in bytes and in files.
bool has_room(const std::filesystem::path& folder, const DiskLimits& limits);

class DiskWatch {
 public:
  // Watches until finish() or its end. `outer` is passed on by token().
  DiskWatch(std::vector<std::filesystem::path> folders, const DiskLimits& limits,
            const std::stop_token& outer);

  // Requests a stop when the outer one does, or when a limit is met.
  std::stop_token token() const { return source_.get_token(); }

  // Counts once more and ends the watch. `limit_met` says which limit the step met, in the words of
  // SandboxReport; `no_room` that the disk is full and the step is not to blame.
  struct Finding {
    std::string limit_met;
    bool no_room = false;
  };
  Finding finish();

 private:
  void watch(const std::stop_token& end);
  bool look_for_room();
  bool count();

  std::vector<std::filesystem::path> folders_;
  DiskLimits limits_;
  Finding finding_;  // of the thread until it has ended
  std::stop_source source_;
  std::stop_callback<std::function<void()>> pass_on_;
  std::jthread thread_;
};

}  // namespace hone
