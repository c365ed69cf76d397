// The workspaces of a worker, below one folder: TARGET/KEY. The longest unused beyond a number go:
// first their name (TARGET/removed-KEY), so that none is ever found again that is half gone, and
// nobody waits for the rest. Thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/remove_tree.h"
#include "common/base/result.h"
#include "worker/build/workspace.h"

namespace hone {

class WorkspacePool {
 public:
  // remove_tree(), or what a test has in its place.
  using Remove = std::function<Result<void>(const std::filesystem::path&, const std::stop_token&)>;

  // The folder exists. Keeps at most `kept` workspaces that nobody uses.
  WorkspacePool(std::filesystem::path folder, std::size_t kept, const WorkspaceContext& context,
                Remove remove = remove_tree)
      : folder_(std::move(folder)), kept_(kept), context_(context), remove_(std::move(remove)) {}

  // The workspace of this version of the target for jobs of this level of trust; all callers of one
  // version and level share it, and nothing in it (builds, object caches, what was measured) is
  // ever seen by the other's jobs.
  Result<std::shared_ptr<Workspace>> open(const TargetSpec& target, BaselineKind baseline,
                                          TrustLevel trust = TrustLevel::guest);

  // Removes the workspaces that are too many, and what an earlier call left of some. Takes as long
  // as that takes, or until the stop; at once if another is at it.
  void clean_up(const std::stop_token& stop);

 private:
  std::vector<std::filesystem::path> set_aside();

  std::filesystem::path folder_;
  std::size_t kept_;
  WorkspaceContext context_;
  Remove remove_;
  std::mutex cleaning_;
  std::mutex mutex_;  // never held for long
  std::map<std::filesystem::path, std::weak_ptr<Workspace>> open_;
};

}  // namespace hone
