// What builds on this machine depend on besides their source and the compilers' versions: which
// packages are installed, and the programs that a build goes through. A baseline that was built
// before a change of these cannot be compared with candidates that are built after it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "worker/build/toolchain.h"

namespace hone {

// The package managers' databases (dpkg, rpm, apk, pacman) and the loader's cache, where they are.
std::vector<std::filesystem::path> system_databases();

// Differs when one of the files, or of the toolchain's programs, was replaced or written since:
// sizes and times, no contents, so that it takes microseconds. One that is not there is told, too.
// Thread safe.
std::string system_state(const Toolchain& toolchain,
                         const std::vector<std::filesystem::path>& databases = system_databases());

}  // namespace hone
