#include "server/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "common/base/text.h"
#include "common/protocol/locations.h"

namespace hone {
namespace {

// Others may pass through (PostgreSQL runs as another user when we are root), but not look around.
constexpr mode_t kFolderMode = 0711;

constexpr std::string_view kArtifactFolder = "artifacts";

Result<void> make_folder(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return {};
  }
  std::filesystem::create_directories(path.parent_path(), error);
  if (mkdir(path.c_str(), kFolderMode) != 0 && errno != EEXIST) {
    return system_error("cannot make the data folder " + path.string(), errno);
  }
  return {};
}

}  // namespace

Result<DataFolder> DataFolder::open(const std::filesystem::path& path) {
  if (path.empty()) {
    return fail(ErrorCode::invalid_argument, "there is no home folder: give --data DIR");
  }
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
  if (!whole.has_filename()) {
    whole = whole.parent_path();
  }
  HONE_CHECK(make_folder(whole));
  const std::filesystem::path lock_path = whole / kLockFile;
  UniqueFd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) {
    return system_error("cannot open " + lock_path.string(), errno);
  }
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return system_error("cannot lock " + lock_path.string(), errno);
    }
    const Result<std::string> owner = read_file(lock_path, 64);
    const std::string pid(owner.has_value() ? trim(*owner) : "unknown");
    return fail(ErrorCode::conflict, "another honed (process " + pid +
                                         ") runs on the data folder " + whole.string() +
                                         "; stop it, or give another --data");
  }
  // Uploads are products' sources: for nobody else's eyes.
  if (mkdir((whole / kArtifactFolder).c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error("cannot make " + (whole / kArtifactFolder).string(), errno);
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(lock.get(), 0) != 0 ||
      pwrite(lock.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return system_error("cannot write " + lock_path.string(), errno);
  }
  return DataFolder(std::move(whole), std::move(lock));
}

DataFolder::~DataFolder() {
  if (lock_) {
    unlink((path_ / kAddressFile).c_str());
  }
}

std::filesystem::path DataFolder::artifacts() const {
  return path_ / kArtifactFolder;
}

std::filesystem::path DataFolder::token_file() const {
  return path_ / kAdminTokenFile;
}

Result<void> DataFolder::remove_token() {
  if (unlink(token_file().c_str()) != 0 && errno != ENOENT) {
    return system_error("cannot remove " + token_file().string(), errno);
  }
  return {};
}

Result<void> DataFolder::write_address(std::string_view address) {
  return write_file_atomically(path_ / kAddressFile, std::string(address) + "\n", 0644);
}

Result<void> DataFolder::write_token(std::string_view secret) {
  return write_file_atomically(token_file(), std::string(secret) + "\n", 0600);
}

}  // namespace hone
