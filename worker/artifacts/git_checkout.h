// Checks out one commit of a git repository as the job's user, in the sandbox, with the network.
//
// Neither URL nor commit can become an option or a command: both are checked here whatever the
// caller did, URLs go behind "--", and git may use https and local files only (GIT_ALLOW_PROTOCOL;
// no ssh, no ext::). The user's and the system's configuration are not read, nothing is asked.
// Thread safe for distinct folders; blocks.
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/protocol/target_spec.h"
#include "staging/sandbox/sandbox.h"
#include "worker/artifacts/disk_watch.h"
#include "worker/artifacts/job_user.h"

namespace hone {

struct GitSettings {
  std::filesystem::path home;  // an existing folder of the job's user; .gitconfig is written there
  JobUser user;
  std::chrono::seconds time_limit{600};
  Sandbox sandbox = {};  // by default none
  DiskLimits disk = {};
};

// https://HOST..., file:///..., or an absolute path, without control characters.
bool is_allowed_git_url(std::string_view url);

// Leaves the commit's tree (submodules included) in `folder`, an empty folder of the job's user.
// invalid_argument for a bad URL or commit, timed_out, cancelled, io_failed where the sandbox
// cannot be made or the disk is full, unavailable with git's last words for everything else.
Result<void> git_checkout(const GitSource& source, const std::filesystem::path& folder,
                          const GitSettings& settings, const std::stop_token& stop);

}  // namespace hone
