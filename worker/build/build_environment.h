// The whole environment of a build's processes: nothing of ours gets in, so that a build is the
// same whoever started the worker. Thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "worker/build/toolchain.h"

namespace hone {

struct EnvironmentFolders {
  std::filesystem::path workspace;  // base of the paths that the object cache may make relative
  std::filesystem::path source;
  std::filesystem::path root;  // HONE_ROOT: the source, or the copy that is built
  std::filesystem::path home;
  std::filesystem::path temporary;
  std::filesystem::path object_cache;    // of one slot and one version: nobody else writes there
  std::filesystem::path shared_objects;  // what the baseline compiled, for all slots to read
  std::filesystem::path state;           // HONE_STATE_DIR
  std::filesystem::path policy;          // HONE_POLICY; empty for the baseline, all of it plain
};

// With a policy, HONE_ON_FAILURE is error: a silent fall-back would credit a pipeline that never
// ran. The decision itself stands on the compiler's command line behind the launcher, and ccache
// hashes that with the plugin's content, so the cache needs no help to keep candidates apart.
// CCACHE_BASEDIR makes the absolute paths below the workspace relative, so that build folders of
// equal depth share objects and give equal binaries.
//
// Without one, what is compiled is logged all the same: a candidate's build is held against it.
//
// USER is the same whoever runs the job: a slot's user has no account, and some tools (Bazel) want
// a name.
std::vector<std::string> build_environment(const EnvironmentFolders& folders,
                                           const Toolchain& toolchain);

// ccache.conf for the object cache: where it looks for what it does not hold itself, and whether it
// puts there what it compiles. Empty where the path has letters that ccache's option cannot hold:
// slots then compile once more what the baseline compiled.
std::string object_cache_settings(const EnvironmentFolders& folders);

}  // namespace hone
