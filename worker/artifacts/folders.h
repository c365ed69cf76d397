// Folders that a worker makes, gives away and removes. Thread safe for distinct paths.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

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

// Gives everything below (and the folder itself) to the owner; links are not followed.
Result<void> give_tree(const std::filesystem::path& folder, const Owner& owner);

}  // namespace hone
