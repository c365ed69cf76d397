// Several links of the benchmark's program, so that a job measures the code and not the place where
// it happens to lie. The build makes them (build_integration/linker), beside the program.
//
// It takes a benchmark command that begins with {build}/ and one of the build's binaries: then we
// know which file runs, and can run another in its place. Thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "common/protocol/target_spec.h"
#include "worker/build/toolchain.h"

namespace hone {

// The benchmark's program, relative to the build folder; empty if its command begins otherwise.
std::string measured_program(const TargetSpec& target);

// Whether builds of the target are to link through toolchain.link_launcher. Not for a metric that
// is_repeatable() or is_of_build().
bool wants_links(const TargetSpec& target, const Toolchain& toolchain);

// Variables for hone-link, "NAME=value"; none where no further links are wanted.
std::vector<std::string> link_environment(const TargetSpec& target, const Toolchain& toolchain);

// What there is after both builds.
struct Layouts {
  std::size_t count = 1;              // links of each side, the plain one included
  std::string program;                // as of measured_program()
  std::vector<std::string> warnings;  // for the result, if what was asked for is not all there
};

Layouts find_layouts(const TargetSpec& target, const Toolchain& toolchain,
                     const std::filesystem::path& baseline, const std::filesystem::path& candidate);

// The file to run for layout `number` (from 0) of a build; empty for the plain link, which runs as
// the command says.
std::filesystem::path layout_file(const Layouts& layouts, const std::filesystem::path& build,
                                  std::size_t number);

}  // namespace hone
