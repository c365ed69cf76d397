#include "worker/build/build_environment.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace hone {

std::vector<std::string> build_environment(const EnvironmentFolders& folders,
                                           const Toolchain& toolchain) {
  std::vector<std::string> environment = {
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "HOME=" + folders.home.string(),
      "USER=nobody",
      "LOGNAME=nobody",
      "TMPDIR=" + folders.temporary.string(),
      "LANG=C",
      "TZ=UTC",
      "SOURCE_DATE_EPOCH=1700000000",
      "CCACHE_DIR=" + folders.object_cache.string(),
      "CCACHE_BASEDIR=" + folders.workspace.string(),
      "CCACHE_MAXSIZE=4G",
      "HONE_ROOT=" + folders.root.string(),
      "HONE_STATE_DIR=" + folders.state.string(),
  };
  if (!toolchain.plugin_dir.empty()) {
    environment.push_back("HONE_PLUGIN_DIR=" + toolchain.plugin_dir);
  }
  if (folders.policy.empty()) {
    environment.emplace_back("HONE_LOG_WITHOUT_POLICY=1");
  } else {
    environment.push_back("HONE_POLICY=" + folders.policy.string());
    environment.emplace_back("HONE_ON_FAILURE=error");
  }
  return environment;
}

std::string object_cache_settings(const EnvironmentFolders& folders) {
  const std::string shared = folders.shared_objects.string();
  const bool plain = std::all_of(shared.begin(), shared.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/._-+").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (!plain) {
    return "";
  }
  return "remote_storage = file:" + shared + (folders.policy.empty() ? "" : "|read-only") + "\n";
}

}  // namespace hone
