// What the steps of a build see and may change in their sandbox. Pure, thread safe.
#pragma once

#include <cstdint>
#include <filesystem>

#include "staging/sandbox/sandbox.h"
#include "worker/build/build_environment.h"

namespace hone {

// Source, compiler wrappers and policy to be read; the build folder, HOME, TMPDIR, object cache and
// the launcher's log to be written; no network. All processes together may hold `memory_mib`. So no
// build can change what the next one compiles, whoever the worker runs as. What the baseline
// compiled is written by the baseline (which has no policy) and read by all others.
SandboxView build_view(const EnvironmentFolders& folders, const std::filesystem::path& build,
                       const std::filesystem::path& wrappers, std::int64_t memory_mib);

// The source to be written, HOME and TMPDIR, and the network: fetching is what the step is for.
SandboxView fetch_view(const EnvironmentFolders& folders, std::int64_t memory_mib);

}  // namespace hone
