// Finds out what sandbox this machine allows, by trying each part once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/base/subprocess.h"
#include "staging/sandbox/sandbox.h"

namespace hone {

struct SandboxSettings {
  std::optional<RunAs> run_as;                // who programs will run as
  std::vector<std::filesystem::path> shared;  // readable for every program, besides the system
  // Secrets and folders of ours, which no program sees even where they lie in a folder that is
  // shown; but what its own view names within them it does. Links are followed anew for each
  // program, since a secret may be replaced.
  std::vector<std::filesystem::path> hidden;
  // A folder that what programs are given lies below: the trial run reads a file there. It may be
  // hidden. Empty: none is read.
  std::filesystem::path work;
  std::size_t slots = 1;              // programs at once, each with its share of the memory
  std::vector<std::string> warnings;  // of the caller, to come before ours
  std::filesystem::path bubblewrap;   // empty: bwrap in /usr/local/bin, /usr/bin, /bin
  std::filesystem::path init;         // empty: hone-sandbox-init beside this program
};

// The parts that work here. Each that does not leaves a warning which names what is missing, what
// that means and how to get it: a sandbox without warnings is a whole one. Never fails; takes a
// tenth of a second.
Sandbox find_sandbox(const SandboxSettings& settings);

}  // namespace hone
