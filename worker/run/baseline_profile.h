// Where the baseline's time goes, by source file: a further build of it with line tables, run once
// on each input under callgrind. Thread safe for distinct slots; blocks, for kLongestProfile and
// the time of a build at most.
#pragma once

#include <chrono>
#include <stop_token>

#include "common/base/result.h"
#include "common/protocol/source_profile.h"
#include "worker/build/workspace.h"
#include "worker/run/job_runner.h"

namespace hone {

// Of all runs together. Inputs that are left when it is over are passed over.
inline constexpr std::chrono::minutes kLongestProfile{10};

// What this product or this machine does not allow is the profile's why_none: no valgrind, a build
// that fails with -g1, a run that fails or takes too long. Cancelled on a stop request; every other
// error is this machine's trouble.
Result<SourceProfile> profile_baseline(const Workspace& workspace, const WorkspaceContext& context,
                                       const Slot& slot, const std::stop_token& stop);

}  // namespace hone
