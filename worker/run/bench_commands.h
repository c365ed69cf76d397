// The benchmark's commands for one build, with their {words} replaced. Thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/target_spec.h"

namespace hone {

struct BenchCommands {
  std::vector<Arguments> places;  // of each input (one if there is none), then of each check
  std::set<std::size_t> own;      // those of checks with a command of their own: no metric is read
};

// invalid_argument for a command with an unknown {word}.
Result<BenchCommands> bench_commands(const BenchmarkSpec& benchmark,
                                     const std::filesystem::path& source,
                                     const std::filesystem::path& build);

}  // namespace hone
