// Whose passes the sessions run, for their log. Blocks for some 50 ms. Thread safe.
#pragma once

#include <filesystem>

#include "common/base/result.h"

namespace hone {

// What `hone-session --version` says behind its own version: "LLVM 19.1.7". io_failed if it says
// nothing of the kind.
Result<std::string> session_compiler(const std::filesystem::path& program);

}  // namespace hone
