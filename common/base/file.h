// Files read with a limit and written whole or not at all. Thread safe.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

// A file descriptor that closes itself.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

// The whole content. not_found if there is no such file, too_large past `limit` bytes, io_failed.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit);

// Writes beside the target, syncs, renames: a reader sees the old or the new content, never a part.
// io_failed (a full disk included) leaves the old file as it was and no temporary file. What is no
// regular file (/dev/stdout, a pipe) is written to instead.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content,
                                   mode_t mode = 0644);

// The same unless the file holds just that already, so that its time stays; makes missing folders.
// Whether it was written.
Result<bool> write_file_if_changed(const std::filesystem::path& path, std::string_view content);

// The folder a path lies in, as dirname(1) gives it: "." for a bare name, "/" for "/x".
std::string folder_of(std::string_view path);

// A fresh folder below `parent` (default: TMPDIR or /tmp), removed with all it holds at the end.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create(std::string_view prefix,
                                        const std::filesystem::path& parent = {});
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace hone
