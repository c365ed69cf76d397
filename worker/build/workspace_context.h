// What every workspace of a worker shares. Plain references, which outlive it; thread safe.
#pragma once

#include <stop_token>

#include "staging/sandbox/sandbox.h"
#include "worker/artifacts/artifact_cache.h"
#include "worker/artifacts/disk_watch.h"
#include "worker/artifacts/job_user.h"
#include "worker/build/toolchain.h"

namespace hone {

struct WorkspaceContext {
  const Toolchain& toolchain;
  const JobUsers& users;
  ArtifactCache& artifacts;
  int build_jobs = 1;
  Sandbox sandbox = {};  // of every build step and benchmark; by default none
  DiskLimits disk = {};  // of every build step
  // The worker is to end. What is not tidied up by then, the next start removes (leftovers.h), or
  // the next job makes anew.
  std::stop_token stopping = {};
};

}  // namespace hone
