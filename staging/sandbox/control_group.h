// Limits on everything that one run starts, kept by the kernel: memory, number of processes,
// processors. One group a run, in control groups version 1 (a folder for each controller) or 2 (one
// folder for all). Made by ControlGroupTree. Not thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct ControlGroupLimits {
  std::uint64_t memory_bytes = 0;   // resident, of all processes together, files in memory included
  std::uint64_t processes = 0;      // threads count; 0: no limit, here and above
  std::uint64_t own_processes = 0;  // of the sandbox itself, besides these
  std::optional<int> cpu = {};      // this processor only
};

// A controller and the folder below which its groups are made.
struct Controller {
  std::string name;  // memory, pids, cpuset
  std::filesystem::path parent;
};

enum class GroupVersion { v1, v2 };

class ControlGroup {
 public:
  // Makes a group of this name for each controller and sets its limits. A limit whose controller is
  // missing is not set. conflict if there is one of this name, io_failed naming the file.
  static Result<ControlGroup> create(GroupVersion version,
                                     const std::vector<Controller>& controllers,
                                     const std::string& name, const ControlGroupLimits& limits);
  // Removes the group, waiting up to a second for its last processes to be gone.
  ~ControlGroup();
  ControlGroup(ControlGroup&& other) noexcept;
  ControlGroup& operator=(ControlGroup&&) = delete;
  ControlGroup(const ControlGroup&) = delete;

  // A process that writes "0" into each becomes a member (Command::join_groups).
  std::vector<std::filesystem::path> member_files() const;

  // In words, which limit its members met: they were refused more processes, or used up the group's
  // memory so that one was killed. Empty if none.
  std::string limit_met() const;

  // Whether a member was killed for want of memory that the group had not used up: the machine had
  // none left, or a group above.
  bool killed_for_others() const;

 private:
  ControlGroup(GroupVersion version, const ControlGroupLimits& limits)
      : version_(version), limits_(limits) {}
  Result<void> make_folder(const std::filesystem::path& folder);
  Result<void> set_limits(const Controller& controller, const std::filesystem::path& folder);
  bool used_up_memory(const std::filesystem::path& folder) const;
  std::uint64_t killed_for_memory(const std::filesystem::path& folder) const;

  GroupVersion version_;
  ControlGroupLimits limits_;
  std::vector<std::filesystem::path> folders_;
};

}  // namespace hone
