#include "common/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace hone {

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int UniqueFd::release() {
  return std::exchange(fd_, -1);
}

void UniqueFd::reset() {
  if (fd_ >= 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return fail(ErrorCode::not_found, "no file " + path.string());
    }
    return system_error("cannot open " + path.string(), errno);
  }
  std::string content;
  char piece[65536];
  while (true) {
    const ssize_t got = ::read(file.get(), piece, sizeof piece);
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      return system_error("cannot read " + path.string(), errno);
    }
    if (got == 0) {
      return content;
    }
    if (content.size() + static_cast<std::size_t>(got) > limit) {
      return fail(ErrorCode::too_large, path.string() + " is larger than the limit of " +
                                            std::to_string(limit) + " bytes");
    }
    content.append(piece, static_cast<std::size_t>(got));
  }
}

namespace {

Result<void> write_all(int file, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno != EINTR) {
      return system_error("cannot write " + path.string(), errno);
    }
    content.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content,
                                   mode_t mode) {
  struct stat there{};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) {
    // A device or a pipe (/dev/null, /dev/stdout): written to, not replaced by a file.
    const UniqueFd device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!device) {
      return system_error("cannot write " + path.string(), errno);
    }
    return write_all(device.get(), content, path);
  }
  std::string beside = path.string() + ".XXXXXX";
  const UniqueFd file(::mkostemp(beside.data(), O_CLOEXEC));
  if (!file) {
    return system_error("cannot write beside " + path.string(), errno);
  }
  const auto give_up = [&](std::string_view what) -> Error {
    const int reason = errno;
    ::unlink(beside.c_str());
    return system_error(std::string(what) + " " + path.string(), reason);
  };
  if (Result<void> written = write_all(file.get(), content, path); !written) {
    ::unlink(beside.c_str());
    return written;
  }
  if (::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0) {
    return give_up("cannot write");
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    return give_up("cannot replace");
  }
  return {};
}

Result<bool> write_file_if_changed(const std::filesystem::path& path, std::string_view content) {
  const Result<std::string> old = read_file(path, content.size());
  if (old.has_value() && *old == content) {
    return false;
  }
  std::error_code failure;
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), failure);
  }
  if (failure) {
    return system_error("cannot make " + path.parent_path().string(), failure.value());
  }
  HONE_CHECK(write_file_atomically(path, content));
  return true;
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return ".";
  }
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

Result<TemporaryFolder> TemporaryFolder::create(std::string_view prefix,
                                                const std::filesystem::path& parent) {
  std::filesystem::path base = parent;
  if (base.empty()) {
    const char* tmpdir = std::getenv("TMPDIR");
    base = tmpdir != nullptr && *tmpdir != '\0' ? tmpdir : "/tmp";
  }
  std::string pattern = (base / (std::string(prefix) + ".XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return system_error("cannot make a folder in " + base.string(), errno);
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) {
    std::error_code ignored;  // a destructor has nobody to tell; the folder is in a temporary place
    std::filesystem::remove_all(path_, ignored);
  }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

}  // namespace hone
