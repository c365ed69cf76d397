// The file of an upload that may be interrupted: FOLDER/<id>.partial. Several coordinators may
// share the folder: only who holds the file's lock writes it, moves it or removes it, and the lock
// lasts as long as the descriptor. Thread safe; everything here may block on the disk.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/file.h"

namespace hone {

// Which file it is and when it was last written.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t size = 0;
  std::int64_t written_at = 0;  // ns since 1970, by the file's own disk
  bool operator==(const FileStamp&) const = default;
};

// Nothing if the system does not say.
std::optional<FileStamp> stamp_of(int file);

std::filesystem::path partial_path(const std::filesystem::path& folder, const std::string& id);
// The id in a file's name; nothing if it is no partial upload's.
std::optional<std::string> partial_id(std::string_view file_name);

enum class IfMissing { make, fail };

// Opens the file for reading and writing, and locks it. conflict if somebody else holds it,
// not_found if there is none and none shall be made, disk_full, io_failed. `what` begins messages.
Result<UniqueFd> lock_partial(const std::filesystem::path& path, IfMissing if_missing,
                              const std::string& what);
// Removes the locked file, which its owner may have moved away. io_failed.
Result<void> remove_locked(const std::filesystem::path& path, const UniqueFd& file);

}  // namespace hone
