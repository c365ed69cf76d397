// The baseline's build with sanitizers, made once for all slots of a workspace. Thread safe.
#pragma once

#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "worker/build/extra_build.h"

namespace hone {

inline constexpr const char* kSanitizedBaseline = "sanb";

struct SanitizedBaseline {
  std::string why_none;  // empty: it is in extra_build_folder(workspace, kSanitizedBaseline)
};

// Made now by this slot's user unless it is there; a slot that comes second waits. That the product
// does not build so is remembered with the reason; that it took too long is tried again. On a stop
// request there may be none, and no reason. An error is this machine's trouble.
Result<SanitizedBaseline> prepare_sanitized_baseline(Workspace& workspace,
                                                     const WorkspaceContext& context, int slot,
                                                     StepLog& log, const std::stop_token& stop);

// A build with the sanitizers of the workspace's target, by default plain.
ExtraBuild sanitized_build(const Workspace& workspace, const WorkspaceContext& context,
                           const std::string& name, int slot);

}  // namespace hone
