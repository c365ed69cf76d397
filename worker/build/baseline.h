// A baseline as it was built, and the file that remembers it. Thread safe for distinct files.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"

namespace hone {

struct Baseline {
  std::vector<BinaryInfo> binaries;
  std::set<std::string> sources;                 // that the launcher compiled
  std::set<std::string> outputs;                 // objects, relative to the build folder
  std::map<std::string, std::string> state_ids;  // by output
};

// Writes all of it but the sizes of the binaries. io_failed.
Result<void> write_baseline(const std::filesystem::path& file, const Baseline& baseline);

// Reads it and looks at the binaries again, which the target names. cancelled after a stop; any
// other error stands for every reason to build it anew: not there, cut short, or binaries changed
// since.
Result<Baseline> read_baseline(const std::filesystem::path& file,
                               const std::filesystem::path& build,
                               const std::vector<std::string>& binaries,
                               const std::stop_token& stop = {});

}  // namespace hone
