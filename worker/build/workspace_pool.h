// The workspaces of a worker, below one folder: TARGET/KEY. The longest unused beyond a number go.
// Thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/base/result.h"
#include "worker/build/workspace.h"

namespace hone {

class WorkspacePool {
 public:
  // The folder exists. Keeps at most `kept` workspaces that nobody uses.
  WorkspacePool(std::filesystem::path folder, std::size_t kept, const WorkspaceContext& context)
      : folder_(std::move(folder)), kept_(kept), context_(context) {}

  // The workspace of this version of the target for jobs of this level of trust; all callers of one
  // version and level share it, and nothing in it (builds, object caches, what was measured) is
  // ever seen by the other's jobs.
  Result<std::shared_ptr<Workspace>> open(const TargetSpec& target, BaselineKind baseline,
                                          TrustLevel trust = TrustLevel::guest);

 private:
  void prune();

  std::filesystem::path folder_;
  std::size_t kept_;
  WorkspaceContext context_;
  std::mutex mutex_;
  std::map<std::filesystem::path, std::weak_ptr<Workspace>> open_;
};

}  // namespace hone
