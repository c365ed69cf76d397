// Where a product's source is: a folder here, or a commit of a git repository. Plain values, thread
// safe.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/result.h"
#include "common/client/client.h"
#include "common/protocol/target_spec.h"

namespace hone {

// A folder, or URL@COMMIT (https://, file:// or ssh-less absolute path of a repository; the commit
// in 40 hexadecimal digits). invalid_argument says what is accepted.
Result<std::variant<std::filesystem::path, GitSource>> parse_source_location(std::string_view text);

// Packs the folder, uploads the archive unless the coordinator holds it, and gives its SHA-256. The
// files that `hone tune` wrote for `target` into the folder stay out: with them, each winner would
// make other source of the same product, and every baseline would be built and measured anew.
Result<std::string> upload_folder(const Client& client, const std::filesystem::path& folder,
                                  const std::string& target, const std::stop_token& stop);

}  // namespace hone
