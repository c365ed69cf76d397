// Gets the source of a target: a git commit or an archive, then the declared fetch steps, which
// have the network. Thread safe for distinct folders; blocks.
#pragma once

#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/protocol/target_spec.h"
#include "common/protocol/values.h"
#include "worker/build/build_environment.h"
#include "worker/build/step_log.h"
#include "worker/build/workspace_context.h"

namespace hone {

struct FetchReport {
  Outcome outcome = Outcome::ok;  // or fetch_failed, cancelled
  std::string reason;
};

// Leaves the tree in folders.source, which it makes anew; as root it is ours then, so that no build
// can change what the next one compiles. HOME and TMPDIR exist and are the user's. An error is this
// machine's trouble.
Result<FetchReport> fetch_source(const TargetSpec& target, const WorkspaceContext& context,
                                 const JobUser& user, const EnvironmentFolders& folders,
                                 StepLog& log, const std::stop_token& stop);

}  // namespace hone
