// A file for a secret that is made only once: its place is taken before the secret is asked for,
// so that there is somewhere to put it. Not thread safe.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "common/base/file.h"
#include "common/base/result.h"

namespace hone {

class NewFile {
 public:
  // Makes an empty file of that mode. conflict if there is a file of that name: it may hold another
  // secret. A device or a pipe is opened as it is. io_failed.
  static Result<NewFile> create(const std::filesystem::path& path, mode_t mode);
  // Removes the file unless it was written.
  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;

  // The whole content, synced; the file stays. io_failed.
  Result<void> write(std::string_view content);

 private:
  NewFile(std::filesystem::path path, UniqueFd file, bool is_ours)
      : path_(std::move(path)), file_(std::move(file)), is_ours_(is_ours) {}

  std::filesystem::path path_;
  UniqueFd file_;
  bool is_ours_;  // to remove
};

}  // namespace hone
