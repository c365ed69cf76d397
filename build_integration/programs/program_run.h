// One run of a linked program: under limits, on its own input, in a folder of its own, with nothing
// of our environment. It runs with our rights: programs are to be trusted. Not thread safe for one
// folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "build_integration/programs/program.h"
#include "common/base/result.h"
#include "common/sessions/validation_result.h"

namespace hone {

struct RunSettings {
  std::vector<std::string> environment;                  // "NAME=value", besides a plain one
  std::uint64_t memory_bytes = std::uint64_t{4} << 30U;  // address space; 0: no limit
};

struct RunOutcome {
  std::string error;  // CompilerGym's type; empty: it ended by itself
  int exit_code = 0;
  std::string output;  // standard output and error, as one text
  double wall_seconds = 0;
};

// `folder` is ours: its "run" is made anew and is where the program runs, so that two programs see
// the same name. Errors: io_failed, cancelled.
Result<RunOutcome> run_program(const std::filesystem::path& program, const ProgramRun& run,
                               const std::filesystem::path& folder, const RunSettings& settings,
                               const std::stop_token& stop);

// What is wrong with a run that must print `output`, if something is: CompilerGym's type behind
// `prefix`, with the run's number.
std::optional<ValidationError> judge(const RunOutcome& outcome, int exit_code,
                                     const std::string& output, std::size_t number,
                                     const std::string& prefix);

// The same for people: "Wrong output, at byte 12 \"5\" where \"6\" was expected".
std::string describe(const ValidationError& error);

// link_program(), where a link that fails is the module's fault: it is the value then. Errors: a
// tool is missing, cancelled.
Result<std::optional<ValidationError>> try_link(const std::filesystem::path& bitcode,
                                                const std::vector<std::string>& link,
                                                const std::filesystem::path& output,
                                                const std::string& prefix,
                                                const std::stop_token& stop);

// The first place where two outputs differ.
Json output_difference(std::string_view expected, std::string_view actual);

}  // namespace hone
