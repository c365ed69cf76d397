// A data set of one's own: programs of C, C++, bitcode or IR text, and how they are run. YAML or
// JSON, read strictly.
//
//   name: mine-v0                  # its programs are benchmark://mine-v0/NAME
//   programs:
//     - name: sort
//       sources: [sort.c, main.c]  # relative to this file; several become one module
//       flags: [-Iinclude]         # for clang-19, beside -O3; optional
//       link: [-lm]                # optional
//       runs:                      # optional: without, the program is not run
//         - arguments: ["1000"]
//           input_file: words.txt  # or input: its text; optional
//           output: "1000 words\n" # or output_file; optional: then what the unoptimised one prints
//           exit_code: 0           # optional
//           seconds: 10            # optional: 60
//
// Plain values.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/programs/program.h"
#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

struct ManifestProgram {
  std::string name;
  std::vector<std::filesystem::path> sources;  // absolute
  std::vector<std::string> flags;
  std::vector<std::string> link;
  std::vector<ProgramRun> runs;
};

struct Manifest {
  std::string name;  // with its version tag
  std::vector<ManifestProgram> programs;

  // not_found lists what there is.
  Result<ManifestProgram> find(std::string_view program) const;
};

// `folder`: of the manifest, that its files are relative to; those of inputs and outputs are read.
// invalid_argument with every bad field.
Result<Manifest> parse_manifest(const Json& document, const std::filesystem::path& folder);

}  // namespace hone
