// The file that names the programs which a command learns from. Thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

// One URI a line; blank lines and what follows '#' are for people. invalid_argument for one that is
// there twice, for none and for more than 10,000.
Result<std::vector<std::string>> read_programs(const std::filesystem::path& file);

}  // namespace hone
