// honed's data folder: made, locked against a second honed, and the small files in it.
//
//   DIR/honed.lock      held by flock() while honed runs; holds its pid
//   DIR/honed.address   where it listens, while it runs
//   DIR/admin.token     the first token, mode 0600
//   DIR/artifacts/      uploaded files, mode 0700
//   DIR/restore.unfinished   while a backup is being restored
//   DIR/postgres/       the private cluster
//
// Not thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/file.h"
#include "common/base/result.h"

namespace hone {

class DataFolder {
 public:
  // Makes the folder if needed and takes the lock. conflict, naming the other's pid, if a honed
  // runs on it already; io_failed, invalid_argument for an empty path.
  static Result<DataFolder> open(const std::filesystem::path& path);
  // Removes the address file.
  ~DataFolder();
  DataFolder(DataFolder&& other) noexcept = default;
  DataFolder& operator=(DataFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path artifacts() const;
  std::filesystem::path postgres() const { return path_ / "postgres"; }
  std::filesystem::path token_file() const;
  // There while a restore (server/backup) has not ended: what else is there is not whole.
  std::filesystem::path unfinished_restore() const { return path_ / "restore.unfinished"; }

  Result<void> write_address(std::string_view address);
  // io_failed. The file is never readable by anybody else, not even for a moment.
  Result<void> write_token(std::string_view secret);
  // It may be gone already. io_failed.
  Result<void> remove_token();

 private:
  DataFolder(std::filesystem::path path, UniqueFd lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  UniqueFd lock_;
};

}  // namespace hone
