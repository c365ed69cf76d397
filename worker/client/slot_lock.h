// One benchmark at a time on a processor, over all workers of a machine: a lock file a processor.
//
// The lock (flock) ends with the last process that holds it, guardians of running jobs included: a
// worker that starts after a kill -9 waits until nothing of its predecessor runs any more. Thread
// safe.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/base/file.h"
#include "common/base/result.h"

namespace hone {

// Locks the file, made if missing. conflict if another process holds it after `patience`. Links are
// not followed, and the file may belong to another user: the folder may be open to everybody.
Result<UniqueFd> lock_file(const std::filesystem::path& file, std::chrono::milliseconds patience);

struct LockedCpu {
  int cpu = 0;
  UniqueFd lock;
};

// Locks `count` processors: of `wanted`, or, if that is empty, of those this process may use, the
// highest numbers first (the lowest serve most interrupts). conflict if there are not enough free
// ones, invalid_argument for one that this process may not use, and for more than it may.
Result<std::vector<LockedCpu>> lock_cpus(const std::filesystem::path& folder, std::size_t count,
                                         const std::vector<int>& wanted,
                                         std::chrono::milliseconds patience);

}  // namespace hone
