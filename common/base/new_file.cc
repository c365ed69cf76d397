#include "common/base/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace hone {

Result<NewFile> NewFile::create(const std::filesystem::path& path, mode_t mode) {
  struct stat there{};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) {
    UniqueFd device(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!device) {
      return system_error("cannot write " + path.string(), errno);
    }
    return NewFile(path, std::move(device), false);
  }
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file) {
    const int reason = errno;
    if (reason == EEXIST) {
      return fail(
          ErrorCode::conflict,
          path.string() + " exists, and is not overwritten: give another name, or remove it");
    }
    return system_error("cannot make " + path.string(), reason);
  }
  NewFile made(path, std::move(file), true);
  if (::fchmod(made.file_.get(), mode) != 0) {  // whatever the umask is
    return system_error("cannot set the mode of " + path.string(), errno);
  }
  return made;
}

NewFile::~NewFile() {
  if (is_ours_) {
    ::unlink(path_.c_str());
  }
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      is_ours_(std::exchange(other.is_ours_, false)) {}

Result<void> NewFile::write(std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file_.get(), content.data(), content.size());
    if (written < 0 && errno != EINTR) {
      return system_error("cannot write " + path_.string(), errno);
    }
    content.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != EROFS) {  // a pipe has none
    return system_error("cannot write " + path_.string(), errno);
  }
  is_ours_ = false;
  return {};
}

}  // namespace hone
