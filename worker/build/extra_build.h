// Builds of a target beside those that a job's binaries come from: to be timed, or with sanitizers.
// They lie in the workspace under names of their own, use no object cache, share nothing with other
// builds but the source, and link their programs once. Thread safe for distinct names; blocks.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "worker/build/product_build.h"
#include "worker/build/step_log.h"
#include "worker/build/workspace.h"

namespace hone {

struct ExtraBuild {
  std::string name;                      // four letters; the folder is build-NAME
  int slot = 0;                          // whose user builds it
  std::optional<std::string> policy;     // the policy's index (bytes); absent: plain
  std::vector<std::string> environment;  // "NAME=value", besides what every build gets
  BuildVariant variant = {};
  int jobs = 1;
};

// Builds it from nothing: whatever lay in its folders is gone before. An error is this machine's.
Result<BuildReport> build_extra(const Workspace& workspace, const WorkspaceContext& context,
                                const ExtraBuild& wanted, StepLog& log,
                                const std::stop_token& stop);

// Keeps the build's folder as it is now, for a later build's variant.prepared: a copy that its
// user makes. An error is this machine's, or tells that there is no room.
Result<void> keep_prepared(const Workspace& workspace, const WorkspaceContext& context,
                           const ExtraBuild& made, StepLog& log, const std::stop_token& stop);
std::filesystem::path prepared_folder(const Workspace& workspace, const std::string& name);

std::filesystem::path extra_build_folder(const Workspace& workspace, const std::string& name);
// What the launcher did in it.
std::filesystem::path extra_compile_log(const Workspace& workspace, const std::string& name);

// Removes all that an extra build left, but for the folder of the build itself where that is to be
// kept. What cannot be removed, or is left since the worker is to end, is logged: the next build of
// the name will meet it.
enum class BuildFolder { remove, keep };
void remove_extra(const Workspace& workspace, const std::string& name, BuildFolder build);

}  // namespace hone
