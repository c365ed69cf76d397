// Folders that a worker makes, gives away and removes, and files that jobs leave there. Thread safe
// for distinct paths.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "common/archive/unpack.h"
#include "common/base/file.h"
#include "common/base/result.h"

namespace hone {

// Makes the folder (its parent must exist) or keeps it, with exactly this mode, and gives it to the
// owner. io_failed; conflict if something else than a folder has the name.
Result<void> make_folder(const std::filesystem::path& folder, mode_t mode,
                         const std::optional<Owner>& owner = std::nullopt);

// Removes a folder with all it holds and makes it anew. cancelled after a stop: some of it is gone
// then.
Result<void> make_empty_folder(const std::filesystem::path& folder, mode_t mode,
                               const std::optional<Owner>& owner = std::nullopt,
                               const std::stop_token& stop = {});

// Keeps a folder that is the owner's already, with all it holds; whatever else has the name is
// removed, and the folder made. cancelled as above.
Result<void> keep_folder(const std::filesystem::path& folder, mode_t mode,
                         const std::optional<Owner>& owner, const std::stop_token& stop = {});

// Whether it is a folder (no link) of this owner; without one, of ours.
bool is_folder_of(const std::filesystem::path& folder, const std::optional<Owner>& owner);

// Makes everything below (and the folder itself) ours, readable by everybody and writable to us
// only; links are not followed. For a source tree that builds may read but not change. cancelled
// after a stop.
Result<void> take_tree(const std::filesystem::path& folder, const std::stop_token& stop = {});

// read_file() for what a job may have put there: a link or a FIFO in its place is not_found, where
// following or waiting for it would do the job's bidding with our rights.
Result<std::string> read_job_file(const std::filesystem::path& path, std::size_t limit);

// Whether a job has put a regular file there; links do not count.
bool is_job_file(const std::filesystem::path& path);

// Opens a regular file below a job's folder for reading. Links on the way are followed as long as
// they stay in the folder; not_found for what leads out of it, and for a FIFO, a device or nothing
// at all in its place.
Result<UniqueFd> open_job_file(const std::filesystem::path& folder, const std::string& name);

// The open file by a name, for what wants a path.
std::filesystem::path path_of(const UniqueFd& file);

}  // namespace hone
