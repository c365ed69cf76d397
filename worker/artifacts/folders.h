// Folders that a worker makes, gives away and removes, and files that jobs leave there. Thread safe
// for distinct paths.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "common/archive/unpack.h"
#include "common/base/result.h"

namespace hone {

// Makes the folder (its parent must exist) or keeps it, with exactly this mode, and gives it to the
// owner. io_failed; conflict if something else than a folder has the name.
Result<void> make_folder(const std::filesystem::path& folder, mode_t mode,
                         const std::optional<Owner>& owner = std::nullopt);

// Removes a folder with all it holds and makes it anew.
Result<void> make_empty_folder(const std::filesystem::path& folder, mode_t mode,
                               const std::optional<Owner>& owner = std::nullopt);

// Removes whatever has this name; links are not followed. Nothing there is fine.
Result<void> remove_tree(const std::filesystem::path& path);

// Makes everything below (and the folder itself) ours, readable by everybody and writable to us
// only; links are not followed. For a source tree that builds may read but not change.
Result<void> take_tree(const std::filesystem::path& folder);

// read_file() for what a job may have put there: a link or a FIFO in its place is not_found, where
// following or waiting for it would do the job's bidding with our rights.
Result<std::string> read_job_file(const std::filesystem::path& path, std::size_t limit);

// Whether a job has put a regular file there; links do not count.
bool is_job_file(const std::filesystem::path& path);

}  // namespace hone
