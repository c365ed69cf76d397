// A product's folder as the archive that workers build from. Everybody who may read the target may
// download it, so what goes in is decided here. Thread safe.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/target_spec.h"

namespace hone {

struct PackOptions {
  bool all_files = false;              // also what git does not track
  std::vector<std::string> secrets{};  // globs of files that are packed although they hold a secret
};

struct PackedSource {
  std::string sha256;
  std::vector<std::string> notes;  // for people: what was left out that they may miss
};

// Writes `archive`. In a git checkout: the files that git tracks, as they lie there, and those that
// the target names as inputs and checks; elsewhere, and with all_files, everything. Never: version
// control, build folders, files that hold a secret (common/archive/secret_file.h), and what
// `hone tune` and `hone policy pull` write (TARGET.policy*, hone.policy*): with them, each winner
// would make other source of the same product, and every baseline would be built and measured
// anew. Errors: those of tracked_files() and pack_folder().
Result<PackedSource> pack_source(const std::filesystem::path& folder,
                                 const std::filesystem::path& archive, const TargetSpec& target,
                                 const PackOptions& options, const std::stop_token& stop);

}  // namespace hone
