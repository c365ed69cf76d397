#include "worker/artifacts/disk_watch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>

#include "common/base/log.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kTick = 250ms;
constexpr Clock::duration kShortestPause = 1s;
constexpr int kShareOfTime = 50;  // one part counting, the rest pauses

std::int64_t in_mib(std::uint64_t bytes) {
  return static_cast<std::int64_t>(bytes >> 20U);
}

}  // namespace

DiskWatch::DiskWatch(WatchedStep step, const DiskLimits& limits, const std::stop_token& outer,
                     RoomProbe room_at)
    : step_(std::move(step)),
      limits_(limits),
      room_at_(std::move(room_at)),
      started_(file_time_now()),
      pass_on_(outer, [this] { source_.request_stop(); }) {
  std::transform(step_.folders.begin(), step_.folders.end(), std::back_inserter(room_before_),
                 room_at_);
  thread_ = std::jthread([this](const std::stop_token& end) { watch(end); });
}

DiskWatch::Finding DiskWatch::finish(StepEnd end) {
  thread_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
    const bool found = !finding_.limit_met.empty() || finding_.no_room;
    if (!found && (end == StepEnd::ok || look_for_room())) {
      count();
    }
  }
  return finding_;
}

void DiskWatch::watch(const std::stop_token& end) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  Clock::time_point next = Clock::now() + kShortestPause;
  while (true) {
    wake.wait_for(lock, end, kTick, [] { return false; });
    if (end.stop_requested()) {
      return;
    }
    bool good = look_for_room();
    if (const Clock::time_point now = Clock::now(); good && now >= next) {
      good = count();
      next = Clock::now() + std::max(kShortestPause, kShareOfTime * (Clock::now() - now));
    }
    if (!good) {
      source_.request_stop();
      return;
    }
  }
}

DiskUse DiskWatch::use_with(const HeldFiles& held) const {
  std::vector<fs::path> paths = step_.folders;
  paths.insert(paths.end(), step_.files.begin(), step_.files.end());
  return disk_use(paths, held, started_);
}

bool DiskWatch::look_for_room() {
  for (std::size_t i = 0; i < step_.folders.size(); ++i) {
    const DiskRoom room = room_at_(step_.folders[i]);
    if (is_enough(room, limits_)) {
      continue;
    }
    const HeldFiles held = held_files(step_.processes, step_.folders);
    const DiskUse use = use_with(held);
    finding_.no_room = !filled_disk(use, room_before_[i], room, limits_);
    if (!finding_.no_room) {
      finding_.limit_met = "all but filled the disk, with " + std::to_string(in_mib(use.bytes)) +
                           " MiB in " + std::to_string(use.entries) + " files";
    }
    log_warning("disk_full", {{"folder", step_.folders[i].string()},
                              {"mib_free", in_mib(room.bytes)},
                              {"mib_free_before", in_mib(room_before_[i].bytes)},
                              {"mib_of_the_step", in_mib(use.new_bytes)},
                              {"mib_of_deleted_files", in_mib(held.bytes)},
                              {"all_of_it_seen", held.complete},
                              {"step_is_to_blame", !finding_.no_room}});
    return false;
  }
  return true;
}

bool DiskWatch::count() {
  const DiskUse use = use_with(held_files(step_.processes, step_.folders));
  if (use.too_deep) {
    finding_.limit_met =
        "nested folders more than " + std::to_string(kMaxNesting) + " deep, which is the limit";
  } else if (use.bytes > limits_.bytes) {
    finding_.limit_met =
        "needed more than its " + std::to_string(in_mib(limits_.bytes)) + " MiB of disk";
  } else if (use.entries > limits_.entries) {
    finding_.limit_met = "made more than " + std::to_string(limits_.entries) + " files";
  }
  return finding_.limit_met.empty();
}

}  // namespace hone
