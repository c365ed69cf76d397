#include "worker/artifacts/disk_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kTick = 250ms;
constexpr Clock::duration kShortestPause = 1s;
constexpr int kShareOfTime = 50;  // one part counting, the rest pauses
// Files that stay free, too, where the file system has a number of them.
constexpr fsfilcnt_t kReserveFiles = 10'000;

void count_folder(UniqueFd folder, int depth, DiskUse& use) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(folder.get()), &closedir);
  if (!stream) {
    return;
  }
  folder.release();
  while (const dirent* entry = readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    struct stat about{};
    if (name == "." || name == ".." ||
        fstatat(dirfd(stream.get()), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    ++use.entries;
    use.bytes += static_cast<std::uint64_t>(about.st_blocks) * 512;
    if (!S_ISDIR(about.st_mode)) {
      continue;
    }
    if (depth >= kMaxNesting) {
      use.too_deep = true;
      continue;
    }
    count_folder(UniqueFd(openat(dirfd(stream.get()), entry->d_name,
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
                 depth + 1, use);
  }
}

}  // namespace

DiskUse disk_use(const std::vector<fs::path>& folders) {
  DiskUse use;
  for (const fs::path& folder : folders) {
    count_folder(UniqueFd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), 0, use);
  }
  return use;
}

bool has_room(const fs::path& folder, const DiskLimits& limits) {
  struct statvfs about{};
  if (statvfs(folder.c_str(), &about) != 0) {
    return true;  // whoever uses the folder will say what is wrong with it
  }
  return std::uint64_t{about.f_bavail} * about.f_frsize > limits.reserve_bytes &&
         (about.f_files == 0 || about.f_favail > kReserveFiles);
}

DiskWatch::DiskWatch(std::vector<fs::path> folders, const DiskLimits& limits,
                     const std::stop_token& outer)
    : folders_(std::move(folders)),
      limits_(limits),
      pass_on_(outer, [this] { source_.request_stop(); }),
      thread_([this](const std::stop_token& end) { watch(end); }) {}

DiskWatch::Finding DiskWatch::finish() {
  thread_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
    if (finding_.limit_met.empty() && !finding_.no_room) {
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

bool DiskWatch::look_for_room() {
  if (std::all_of(folders_.begin(), folders_.end(),
                  [&](const fs::path& folder) { return has_room(folder, limits_); })) {
    return true;
  }
  // Who filled it? A step that holds as much as is missing did its part.
  const DiskUse use = disk_use(folders_);
  finding_.no_room = use.bytes < limits_.reserve_bytes && use.entries < kReserveFiles;
  if (!finding_.no_room) {
    finding_.limit_met = "all but filled the disk, with " + std::to_string(use.bytes >> 20U) +
                         " MiB in " + std::to_string(use.entries) + " files";
  }
  return false;
}

bool DiskWatch::count() {
  const DiskUse use = disk_use(folders_);
  if (use.too_deep) {
    finding_.limit_met =
        "nested folders more than " + std::to_string(kMaxNesting) + " deep, which is the limit";
  } else if (use.bytes > limits_.bytes) {
    finding_.limit_met =
        "needed more than its " + std::to_string(limits_.bytes >> 20U) + " MiB of disk";
  } else if (use.entries > limits_.entries) {
    finding_.limit_met = "made more than " + std::to_string(limits_.entries) + " files";
  }
  return finding_.limit_met.empty();
}

}  // namespace hone
