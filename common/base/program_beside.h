// Where our other programs and files are: beside this program, in the build tree as where we are
// installed. Thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

// not_found, with the folder, if there is no such program beside this one.
Result<std::filesystem::path> program_beside_us(std::string_view name);

// ../share/hone/NAME from this program, whether it is there or not.
std::filesystem::path shared_file(std::string_view name);

}  // namespace hone
