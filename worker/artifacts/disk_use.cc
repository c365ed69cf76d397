#include "worker/artifacts/disk_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <memory>
#include <set>
#include <string_view>
#include <tuple>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Files that stay free, too, where the file system has a number of them.
constexpr std::uint64_t kReserveFiles = 10'000;
// Of so many files with several names it is remembered that they were counted.
constexpr std::size_t kMostLinked = 200'000;

class Count {
 public:
  Count(const HeldFiles& held, const timespec& since) : held_(held), since_(since) {
    use_.bytes = use_.new_bytes = held.bytes;
    use_.entries = use_.new_entries = held.entries;
  }

  void add_path(const fs::path& path) {
    struct stat about{};
    UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder) {
      add_folder(std::move(folder), 0);
    } else if (lstat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode)) {
      add(about);
    }
  }
  DiskUse use() const { return use_; }

 private:
  void add_folder(UniqueFd folder, int depth) {
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
      add(about);
      if (!S_ISDIR(about.st_mode)) {
        continue;
      }
      if (depth >= kMaxNesting) {
        use_.too_deep = true;
        continue;
      }
      add_folder(UniqueFd(openat(dirfd(stream.get()), entry->d_name,
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
                 depth + 1);
    }
  }

  void add(const struct stat& about) {
    const bool is_new = std::tie(about.st_ctim.tv_sec, about.st_ctim.tv_nsec) >=
                        std::tie(since_.tv_sec, since_.tv_nsec);
    const std::uint64_t bytes =
        is_counted(about) ? 0 : static_cast<std::uint64_t>(about.st_blocks) * 512;
    ++use_.entries;
    use_.bytes += bytes;
    use_.new_entries += is_new ? 1 : 0;
    use_.new_bytes += is_new ? bytes : 0;
  }

  // By another name, or because it got this one only after the processes had been looked at.
  bool is_counted(const struct stat& about) {
    const Inode inode(about.st_dev, about.st_ino);
    if (held_.inodes.contains(inode)) {
      return true;
    }
    return !S_ISDIR(about.st_mode) && about.st_nlink > 1 && linked_.size() < kMostLinked &&
           !linked_.insert(inode).second;
  }

  const HeldFiles& held_;
  const timespec since_;
  std::set<Inode> linked_;
  DiskUse use_;
};

bool took_most(std::uint64_t made, std::uint64_t before, std::uint64_t now, std::uint64_t reserve) {
  return now <= reserve && made >= reserve && before > now && made >= (before - now) / 2;
}

}  // namespace

DiskUse disk_use(const std::vector<fs::path>& paths) {
  return disk_use(paths, {}, file_time_now());
}

DiskUse disk_use(const std::vector<fs::path>& paths, const HeldFiles& held, const timespec& since) {
  Count count(held, since);
  for (const fs::path& path : paths) {
    count.add_path(path);
  }
  return count.use();
}

timespec file_time_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

DiskRoom room_at(const fs::path& folder) {
  struct statvfs about{};
  DiskRoom room;
  if (statvfs(folder.c_str(), &about) != 0) {
    return room;
  }
  room.bytes = std::uint64_t{about.f_bavail} * about.f_frsize;
  if (about.f_files != 0) {
    room.files = about.f_favail;
  }
  return room;
}

bool is_enough(const DiskRoom& room, const DiskLimits& limits) {
  return room.bytes > limits.reserve_bytes && room.files > kReserveFiles;
}

bool has_room(const fs::path& folder, const DiskLimits& limits) {
  return is_enough(room_at(folder), limits);
}

bool filled_disk(const DiskUse& use, const DiskRoom& before, const DiskRoom& now,
                 const DiskLimits& limits) {
  return took_most(use.new_bytes, before.bytes, now.bytes, limits.reserve_bytes) ||
         took_most(use.new_entries, before.files, now.files, kReserveFiles);
}

}  // namespace hone
