// Options that `hone policy pull` and `compile` share: where a policy is written for the launcher,
// and whom it must come from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace CLI {
class App;
}

namespace hone {

struct CompileOptions {
  std::string output;
  std::string per_source;
  std::string sources;
  std::string compile_commands;
  std::string root;
  std::vector<std::string> public_keys;
  bool allow_unsigned = false;
};

void add_compile_options(CLI::App& app, CompileOptions& options);

// The sources to write decision files for; empty without --per-source.
Result<std::vector<std::string>> sources_of(const CompileOptions& options);

// The files that --public-key named.
std::vector<std::filesystem::path> trusted_keys(const CompileOptions& options);

// One line each on standard error.
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace hone
