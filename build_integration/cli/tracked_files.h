// What git says belongs to a folder: the files that a source archive is made of. Thread safe.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "common/base/result.h"

namespace hone {

struct TrackedFiles {
  std::set<std::string, std::less<>> tracked;  // relative to the folder, those of submodules too
  std::set<std::string, std::less<>> others;   // neither tracked nor ignored
};

// Nothing for a folder in which git tracks nothing: it lies in no checkout, or in a part of one
// that is not git's. not_found if there is a checkout and no git to ask, conflict with git's own
// words if it does not answer, too_large, cancelled.
Result<std::optional<TrackedFiles>> tracked_files(const std::filesystem::path& folder,
                                                  const std::stop_token& stop);

}  // namespace hone
