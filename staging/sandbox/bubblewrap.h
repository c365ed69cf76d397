// The command line of bwrap(1). Pure, thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/subprocess.h"
#include "staging/sandbox/sandbox.h"
#include "staging/sandbox/sandbox_parts.h"

namespace hone {

// The arguments that show the system's own folders, read-only: /usr, /bin, /lib*, /etc, /opt and
// the like, as far as they are there. `root` is "/" but in tests.
std::vector<std::string> system_arguments(const std::filesystem::path& root = "/");

// The whole command: bwrap, its options, our init, the program. `hidden` are those of the parts
// that are there, by their real names. `filter` is the descriptor that bwrap reads the seccomp
// program from, -1 for none, `report` the one that init writes to.
std::vector<std::string> bubblewrap_arguments(const SandboxParts& parts,
                                              const std::vector<std::filesystem::path>& hidden,
                                              const Command& command, const SandboxView& view,
                                              int filter, int report);

}  // namespace hone
