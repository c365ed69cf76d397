// Where our other programs are: in the folder of this one. Thread safe.
#pragma once

#include <filesystem>
#include <string_view>

#include "common/base/result.h"

namespace hone {

// not_found, with the folder, if there is no such program beside this one.
Result<std::filesystem::path> program_beside_us(std::string_view name);

}  // namespace hone
