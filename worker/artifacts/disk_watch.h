// Watches what a step of a build writes, and stops it before the disk is full: limits on files
// (RLIMIT_FSIZE) hold for each file alone, and a full disk is the next job's trouble as well.
//
// A thread asks the file system every quarter of a second how much is left, and counts the folders
// and what the step's processes hold of deleted files now and then, for at most a fiftieth of the
// time. A step may so go past its limit for a moment. Thread safe for distinct folders.
#pragma once

#include <ctime>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "worker/artifacts/disk_use.h"
#include "worker/artifacts/held_files.h"

namespace hone {

// What a step can fill a disk by. What it points to outlives the watch.
struct WatchedStep {
  std::vector<std::filesystem::path> folders;
  std::vector<std::filesystem::path> files = {};  // that its output goes to, besides
  StepProcesses processes = {};
};

class DiskWatch {
 public:
  // room_at(), or what a test has in its place.
  using RoomProbe = std::function<DiskRoom(const std::filesystem::path&)>;

  // Watches until finish() or its end. `outer` is passed on by token().
  DiskWatch(WatchedStep step, const DiskLimits& limits, const std::stop_token& outer,
            RoomProbe room_at = hone::room_at);

  // Requests a stop when the outer one does, or when a limit is met.
  std::stop_token token() const { return source_.get_token(); }

  // `limit_met` says which limit the step met, in the words of SandboxReport; `no_room` that the
  // disk is full, and that nothing shows the step to be the one who filled it.
  struct Finding {
    std::string limit_met;
    bool no_room = false;
  };

  // How the step ended, as far as its own report goes.
  enum class StepEnd { ok, failed };

  // Counts once more and ends the watch. Where a step failed on a disk that is still full when all
  // its processes are gone, that may be why, whatever it says itself.
  Finding finish(StepEnd end);

 private:
  void watch(const std::stop_token& end);
  bool look_for_room();
  bool count();

  DiskUse use_with(const HeldFiles& held) const;

  WatchedStep step_;
  DiskLimits limits_;
  RoomProbe room_at_;
  timespec started_;
  std::vector<DiskRoom> room_before_;  // of each folder
  Finding finding_;                    // of the thread until it has ended
  std::stop_source source_;
  std::stop_callback<std::function<void()>> pass_on_;
  std::jthread thread_;
};

}  // namespace hone
