#include "worker/build/build_environment.h"

namespace hone {

std::vector<std::string> build_environment(const EnvironmentFolders& folders,
                                           const Toolchain& toolchain) {
  std::vector<std::string> environment = {
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "HOME=" + folders.home.string(),
      "TMPDIR=" + folders.temporary.string(),
      "LANG=C",
      "TZ=UTC",
      "SOURCE_DATE_EPOCH=1700000000",
      "CCACHE_DIR=" + folders.object_cache.string(),
      "CCACHE_BASEDIR=" + folders.workspace.string(),
      "CCACHE_MAXSIZE=4G",
      "HONE_ROOT=" + folders.source.string(),
      "HONE_STATE_DIR=" + folders.state.string(),
  };
  if (!toolchain.plugin_dir.empty()) {
    environment.push_back("HONE_PLUGIN_DIR=" + toolchain.plugin_dir);
  }
  if (!folders.policy.empty()) {
    environment.push_back("HONE_POLICY=" + folders.policy.string());
    environment.emplace_back("HONE_ON_FAILURE=error");
  }
  return environment;
}

}  // namespace hone
