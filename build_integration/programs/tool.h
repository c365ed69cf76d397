// A program of the system that makes programs for us (clang-19, csmith, cmake), run without a shell
// under limits. Thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/subprocess.h"

namespace hone {

struct Tool {
  std::vector<std::string> arguments;  // [0] is looked up in PATH
  std::string_view packages;           // Debian's that have it, for the message
  std::filesystem::path folder;        // it runs there; empty: ours
  std::chrono::seconds limit{60};
  std::uint64_t file_bytes = std::uint64_t{256} << 20U;  // of a file that it writes
  std::uint64_t memory_bytes = std::uint64_t{4} << 30U;  // of a process; 0: no limit
  std::vector<std::string> environment;                  // "NAME=value" besides ours
};

// The report of one that ended with 0. not_found names the packages if there is no such program;
// timed_out; cancelled; invalid_argument with the end of what it wrote to its standard error if it
// refused its input.
Result<RunReport> run_tool(const Tool& tool, const std::stop_token& stop = {});

// Changes whenever the program in PATH is another one; empty if there is none.
std::string tool_identity(const std::string& name);

}  // namespace hone
