#include "server/store/artifacts/disk_space.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/file.h"

namespace hone {

namespace fs = std::filesystem;

Result<DiskSpace> disk_space(const fs::path& path) {
  struct statvfs status{};
  if (::statvfs(path.c_str(), &status) != 0) {
    return system_error("cannot ask how full the disk of " + path.string() + " is", errno);
  }
  const auto block = static_cast<std::int64_t>(status.f_frsize);
  return DiskSpace{static_cast<std::int64_t>(status.f_bavail) * block,
                   static_cast<std::int64_t>(status.f_blocks) * block};
}

std::int64_t usual_reserve(const DiskSpace& space) {
  return std::min(std::int64_t{1} << 30U, space.total_bytes / 20);
}

Error disk_error(const std::string& what, int reason) {
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) {
    return fail(ErrorCode::disk_full,
                what + ": the disk is full (or a quota or size limit is reached)");
  }
  return system_error(what, reason);
}

Result<void> check_room(const fs::path& path, std::int64_t wanted_bytes,
                        std::int64_t reserve_bytes) {
  HONE_TRY(const DiskSpace space, disk_space(path));
  if (space.free_bytes - reserve_bytes < wanted_bytes) {
    return fail(ErrorCode::disk_full, "no room for " + std::to_string(wanted_bytes) +
                                          " bytes more: the disk has " +
                                          std::to_string(space.free_bytes) + " bytes free, and " +
                                          std::to_string(reserve_bytes) + " of them stay so");
  }
  return {};
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return disk_error("cannot make " + folder.string(), error.value());
  }
  return {};
}

Result<void> sync_folder(const fs::path& folder) {
  const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) {
    return disk_error("cannot sync " + folder.string(), errno);
  }
  return {};
}

}  // namespace hone
