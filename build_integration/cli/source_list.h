// The sources that get decision files: from a list, or from a compilation database. Thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct SourceListOptions {
  std::string sources;           // a file, one source a line; "-": standard input
  std::string compile_commands;  // or a compile_commands.json
  std::string root;              // that its files are made relative to; empty: the working folder
};

// Relative to the root, sorted, without duplicates. Files of a compilation database that lie
// outside of the root are left out. invalid_argument if neither or both are given, or for a
// malformed database; not_found, io_failed.
Result<std::vector<std::string>> list_sources(const SourceListOptions& options);

}  // namespace hone
