// A file that names programs, for the commands that learn from them. Thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxListedPrograms = 10'000;

// One URI a line; blank lines and what follows '#' are for people. invalid_argument for one that is
// there twice, and unless there are 1 to kMaxListedPrograms; not_found, too_large (16 MiB).
Result<std::vector<std::string>> read_program_list(const std::filesystem::path& file);

}  // namespace hone
