#include "worker/build/workspace_pool.h"

#include <algorithm>
#include <vector>

#include "common/base/log.h"
#include "common/base/remove_tree.h"
#include "worker/artifacts/folders.h"

namespace hone {

namespace fs = std::filesystem;

Result<std::shared_ptr<Workspace>> WorkspacePool::open(const TargetSpec& target,
                                                       BaselineKind baseline, TrustLevel trust) {
  if (!is_valid_name(target.name)) {
    return fail(ErrorCode::invalid_argument, "'" + target.name + "' is no target's name");
  }
  const std::lock_guard lock(mutex_);
  const fs::path above = folder_ / target.name;
  const fs::path folder = above / Workspace::key(target, baseline, context_.toolchain, trust);
  std::shared_ptr<Workspace> workspace = open_[folder].lock();
  if (!workspace) {
    HONE_CHECK(make_folder(above, 0755));
    HONE_CHECK(make_folder(folder, 0755));
    workspace = std::make_shared<Workspace>(folder, target, baseline, context_);
    open_[folder] = workspace;
  }
  std::error_code ignored;  // the time only says what was used last
  fs::last_write_time(folder, fs::file_time_type::clock::now(), ignored);
  prune();
  return workspace;
}

void WorkspacePool::prune() {
  std::vector<std::pair<fs::file_time_type, fs::path>> unused;
  std::error_code error;
  for (const fs::directory_entry& target : fs::directory_iterator(folder_, error)) {
    std::error_code inner;
    for (const fs::directory_entry& version : fs::directory_iterator(target.path(), inner)) {
      const auto found = open_.find(version.path());
      if (found == open_.end() || found->second.expired()) {
        unused.emplace_back(version.last_write_time(inner), version.path());
      }
    }
  }
  std::sort(unused.begin(), unused.end());
  for (std::size_t i = 0; i + kept_ < unused.size(); ++i) {
    if (const Result<void> removed = remove_tree(unused[i].second); !removed) {
      log_warning("workspace_not_removed", {{"why", removed.error().message}});
    } else {
      log_info("workspace_removed", {{"folder", unused[i].second.string()}});
    }
    open_.erase(unused[i].second);
  }
}

}  // namespace hone
