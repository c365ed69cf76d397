// The programs that the commands of `hone env` take, by their names. Thread safe.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "build_integration/programs/program_loader.h"
#include "common/base/result.h"

namespace hone {

// `manifests`: files of data sets, YAML or JSON. What takes long is told on standard error.
Result<ProgramLoader> env_programs(const std::vector<std::string>& manifests,
                                   const std::stop_token& stop);

}  // namespace hone
