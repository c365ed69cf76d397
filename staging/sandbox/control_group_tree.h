// Where on this machine control groups can be made, found once. Thread safe.
//
// Version 1: below this process's own group of each controller. Version 2: below its own group
// where nothing else runs in that (systemd: Delegate=yes; the process then moves into a group
// beside those it makes, since only leaves may hold processes), otherwise, as root, at the top.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "staging/sandbox/control_group.h"

namespace hone {

// Where the kernel tells; tests put files of their own in place.
struct ControlGroupSources {
  std::filesystem::path groups = "/proc/self/cgroup";
  std::filesystem::path mounts = "/proc/self/mountinfo";
};

class ControlGroupTree {
 public:
  // What there is: perhaps no controller at all. Removes groups that a killed worker left.
  static ControlGroupTree find(const ControlGroupSources& sources = {});

  // Of memory, pids and cpuset, those for which no group can be made.
  std::vector<std::string> missing() const;

  bool has(std::string_view controller) const;

  // A group with a name of its own. io_failed.
  Result<ControlGroup> create(const ControlGroupLimits& limits) const;

 private:
  GroupVersion version_ = GroupVersion::v1;
  std::vector<Controller> controllers_;
  std::shared_ptr<std::atomic<unsigned>> made_ = std::make_shared<std::atomic<unsigned>>(0);
};

}  // namespace hone
