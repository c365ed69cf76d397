#include "server/store/artifacts/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "server/store/artifacts/disk_space.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".partial";
constexpr std::size_t kUuidDigits = 36;
constexpr std::int64_t kNanoseconds = 1'000'000'000;
// A file that went between its opening and its lock is opened again: who makes and removes it that
// often in so short a time does nothing else.
constexpr int kTries = 8;

bool names(const fs::path& path, int file) {
  struct stat opened{};
  struct stat named{};
  return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

std::optional<FileStamp> stamp_of(int file) {
  struct stat status{};
  if (::fstat(file, &status) != 0) {
    return std::nullopt;
  }
  return FileStamp{status.st_dev, status.st_ino, status.st_size,
                   status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

fs::path partial_path(const fs::path& folder, const std::string& id) {
  return folder / (id + std::string(kSuffix));
}

std::optional<std::string> partial_id(std::string_view file_name) {
  if (file_name.size() != kUuidDigits + kSuffix.size() || !file_name.ends_with(kSuffix)) {
    return std::nullopt;
  }
  const std::string_view id = file_name.substr(0, kUuidDigits);
  const bool fits = std::ranges::all_of(
      id, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-'; });
  return fits ? std::optional(std::string(id)) : std::nullopt;
}

Result<UniqueFd> lock_partial(const fs::path& path, IfMissing if_missing, const std::string& what) {
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (if_missing == IfMissing::make ? O_CREAT : 0);
  for (int i = 0; i < kTries; ++i) {
    UniqueFd file(::open(path.c_str(), flags, 0600));
    if (!file && errno == ENOENT && if_missing == IfMissing::fail) {
      return fail(ErrorCode::not_found, what + ": it has no bytes here");
    }
    if (!file) {
      return disk_error(what, errno);
    }
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) {
        return fail(ErrorCode::conflict, "another coordinator is receiving this upload");
      }
      return system_error(what + ": cannot lock " + path.string(), errno);
    }
    // Its former holder may have made an artifact of it, or removed it, before it let go.
    if (names(path, file.get())) {
      return file;
    }
  }
  return fail(ErrorCode::conflict, "another coordinator is receiving this upload");
}

Result<void> remove_locked(const fs::path& path, const UniqueFd& file) {
  if (names(path, file.get()) && ::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return system_error("cannot remove " + path.string(), errno);
  }
  return {};
}

}  // namespace hone
