// Where a product's source is: a folder here, or a commit of a git repository. Plain values, thread
// safe.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string_view>
#include <variant>

#include "build_integration/cli/packed_source.h"
#include "common/base/result.h"
#include "common/client/client.h"
#include "common/protocol/target_spec.h"

namespace hone {

// A folder, or URL@COMMIT (https://, file:// or ssh-less absolute path of a repository; the commit
// in 40 hexadecimal digits). invalid_argument says what is accepted.
Result<std::variant<std::filesystem::path, GitSource>> parse_source_location(std::string_view text);

// Packs the folder for the target, uploads the archive unless the coordinator holds it, and says
// what it is and what was left out.
Result<PackedSource> upload_folder(const Client& client, const std::filesystem::path& folder,
                                   const TargetSpec& target, const PackOptions& options,
                                   const std::stop_token& stop);

}  // namespace hone
