// The postmaster process: started so that it dies with us, found again by its pid file.
#pragma once

#include <sys/types.h>

#include <optional>

#include "server/store/cluster/cluster_folder.h"

namespace hone {

// What data/postmaster.pid says.
struct PostmasterFile {
  pid_t pid = 0;
  bool ready = false;  // accepts connections
};
std::optional<PostmasterFile> read_postmaster_file(const ClusterPaths& paths);

// Whether the process lives and is a postmaster of this very cluster: process ids are used again.
bool is_postmaster_of(pid_t pid, const ClusterPaths& paths);

// Forks and runs postgres as the user, in a session of its own (a terminal's Ctrl-C is ours to act
// on), with SIGINT at the death of this thread, none of our descriptors, output appended to the
// log. io_failed or permission_denied if it could not be started.
Result<pid_t> spawn_postmaster(const ClusterOptions& options, const ClusterPaths& paths,
                               const ClusterUser& user);

}  // namespace hone
