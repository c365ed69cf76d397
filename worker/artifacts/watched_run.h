// A program in the sandbox, with a watch on what it writes to disk. Thread safe for distinct
// folders.
#pragma once

#include <stop_token>

#include "common/base/result.h"
#include "common/base/subprocess.h"
#include "staging/sandbox/sandbox.h"
#include "worker/artifacts/disk_watch.h"

namespace hone {

// As Sandbox::run. What the view lets it write is watched (disk_watch.h): past the limits it is
// killed, with the reason in limit_met, also if that was only found when it had ended. unavailable
// where the disk has no room, of which the program died or would have, and nothing shows that it is
// to blame: the job is then tried again, as often as its attempts last.
Result<SandboxReport> run_watched(const Command& command, const Sandbox& sandbox,
                                  const SandboxView& view, const DiskLimits& limits,
                                  const std::stop_token& stop);

}  // namespace hone
