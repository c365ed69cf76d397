#include "worker/build/workspace_pool.h"

#include <algorithm>
#include <vector>

#include "common/base/log.h"
#include "worker/artifacts/folders.h"

namespace hone {

namespace fs = std::filesystem;

namespace {

const std::string kRemoved = "removed-";

}  // namespace

Result<std::shared_ptr<Workspace>> WorkspacePool::open(const TargetSpec& target,
                                                       BaselineKind baseline, TrustLevel trust) {
  if (!is_valid_name(target.name)) {
    return fail(ErrorCode::invalid_argument, "'" + target.name + "' is no target's name");
  }
  const fs::path above = folder_ / target.name;
  const fs::path folder = above / Workspace::key(target, baseline, context_.toolchain, trust);
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Workspace> workspace = open_[folder].lock();
  if (!workspace) {
    HONE_CHECK(make_folder(above, 0755));
    HONE_CHECK(make_folder(folder, 0755));
    workspace = std::make_shared<Workspace>(folder, target, baseline, context_);
    open_[folder] = workspace;
  }
  std::error_code ignored;  // the time only says what was used last
  fs::last_write_time(folder, fs::file_time_type::clock::now(), ignored);
  return workspace;
}

void WorkspacePool::clean_up(const std::stop_token& stop) {
  const std::unique_lock cleaning(cleaning_, std::try_to_lock);
  if (!cleaning) {
    return;
  }
  for (const fs::path& folder : set_aside()) {
    if (stop.stop_requested()) {
      return;
    }
    const Result<void> removed = remove_(folder, stop);
    if (removed) {
      log_info("workspace_removed", {{"folder", folder.string()}});
    } else if (removed.error().code != ErrorCode::cancelled) {
      log_warning("workspace_not_removed", {{"why", removed.error().message}});
    }
  }
}

// What is to be removed, after taking the names of those that are too many.
std::vector<fs::path> WorkspacePool::set_aside() {
  const std::lock_guard lock(mutex_);
  std::vector<fs::path> removed;
  std::vector<std::pair<fs::file_time_type, fs::path>> unused;
  std::error_code error;
  for (const fs::directory_entry& target : fs::directory_iterator(folder_, error)) {
    std::error_code inner;
    for (const fs::directory_entry& version : fs::directory_iterator(target.path(), inner)) {
      const auto found = open_.find(version.path());
      if (version.path().filename().string().starts_with(kRemoved)) {
        removed.push_back(version.path());
      } else if (found == open_.end() || found->second.expired()) {
        unused.emplace_back(version.last_write_time(inner), version.path());
      }
    }
  }
  std::sort(unused.begin(), unused.end());
  for (std::size_t i = 0; i + kept_ < unused.size(); ++i) {
    const fs::path& folder = unused[i].second;
    const fs::path aside = folder.parent_path() / (kRemoved + folder.filename().string());
    fs::rename(folder, aside, error);
    if (error) {  // what is left of an earlier one of this version goes first
      log_warning("workspace_not_removed", {{"why", error.message()}});
      continue;
    }
    removed.push_back(aside);
    open_.erase(folder);
  }
  return removed;
}

}  // namespace hone
