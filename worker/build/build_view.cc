#include "worker/build/build_view.h"

namespace hone {

SandboxView build_view(const EnvironmentFolders& folders, const std::filesystem::path& build,
                       const std::filesystem::path& wrappers, std::int64_t memory_mib) {
  SandboxView view;
  view.readable = {folders.source, wrappers, folders.policy};
  view.writable = {build, folders.home, folders.temporary, folders.object_cache, folders.state};
  if (!folders.shared_objects.empty()) {
    (folders.policy.empty() ? view.writable : view.readable).push_back(folders.shared_objects);
  }
  view.memory_bytes = static_cast<std::uint64_t>(memory_mib) << 20U;
  return view;
}

SandboxView fetch_view(const EnvironmentFolders& folders, std::int64_t memory_mib) {
  SandboxView view;
  view.writable = {folders.source, folders.home, folders.temporary};
  view.network = NetworkUse::open;
  view.memory_bytes = static_cast<std::uint64_t>(memory_mib) << 20U;
  return view;
}

}  // namespace hone
