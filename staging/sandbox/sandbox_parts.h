// What a machine's sandbox is made of. Plain values, thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "staging/sandbox/control_group_tree.h"

namespace hone {

struct SandboxParts {
  std::filesystem::path bubblewrap;           // empty: no namespaces and no filter
  std::filesystem::path init;                 // hone-sandbox-init
  std::vector<std::string> system;            // bwrap's arguments for the read-only system
  std::string seccomp;                        // the filter's program; empty: none
  std::vector<std::filesystem::path> shared;  // readable for every program
  // Absolute; not seen by any program, as far as they are there when it is run.
  std::vector<std::filesystem::path> hidden;
  std::optional<ControlGroupTree> groups;
  std::size_t slots = 1;  // programs at once, which share the machine's memory
  std::vector<std::string> warnings;
};

}  // namespace hone
