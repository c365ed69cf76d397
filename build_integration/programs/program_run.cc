#include "build_integration/programs/program_run.h"

#include <csignal>
#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>

#include "build_integration/programs/clang_compile.h"
#include "common/base/file.h"
#include "common/base/remove_tree.h"
#include "common/base/subprocess.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxOutputBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kShownBytes = 200;

std::string error_type(const RunReport& report) {
  if (report.end == RunEnd::timed_out) {
    return "Execution timeout";
  }
  if (report.end != RunEnd::signalled) {
    return "";
  }
  switch (report.signal) {
    case SIGSEGV:
    case SIGBUS:
      return "Segmentation fault";
    case SIGILL:
      return "Illegal Instruction";
    default:
      return "Runtime error (" + std::to_string(128 + report.signal) + ")";
  }
}

}  // namespace

Json output_difference(std::string_view expected, std::string_view actual) {
  std::size_t at = 0;
  while (at < expected.size() && at < actual.size() && expected[at] == actual[at]) {
    ++at;
  }
  return {{"byte", at},
          {"expected", std::string(expected.substr(at, kShownBytes))},
          {"actual", std::string(actual.substr(at, kShownBytes))}};
}

Result<RunOutcome> run_program(const fs::path& program, const ProgramRun& run_of,
                               const fs::path& folder, const RunSettings& settings,
                               const std::stop_token& stop) {
  const fs::path place = folder / "run";
  HONE_CHECK(remove_tree(place));
  std::error_code failed;
  fs::create_directory(place, failed);
  if (failed) {
    return fail(ErrorCode::io_failed, place.string() + ": " + failed.message());
  }
  const fs::path input = folder / "input";
  const fs::path output = folder / "output";
  HONE_CHECK(write_file_atomically(input, run_of.input));
  Command command;
  command.arguments = {"program"};
  command.program = program;
  command.arguments.insert(command.arguments.end(), run_of.arguments.begin(),
                           run_of.arguments.end());
  // Nothing of ours, tokens above all.
  const char* const path = std::getenv("PATH");
  command.environment = {std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path),
                         "LC_ALL=C", "HOME=" + place.string(), "TMPDIR=" + place.string()};
  command.environment.insert(command.environment.end(), settings.environment.begin(),
                             settings.environment.end());
  command.working_folder = place;
  command.stdin_file = input;
  command.stdout_file = output;
  command.stderr_file = output;
  command.limits.wall_time = run_of.limit;
  command.limits.file_size_bytes = kMaxOutputBytes;
  command.limits.address_space_bytes = settings.memory_bytes;
  HONE_TRY(const RunReport report, run(command, stop));
  if (report.end == RunEnd::stopped) {
    return fail(ErrorCode::cancelled, "stopped");
  }
  RunOutcome outcome;
  outcome.error = error_type(report);
  outcome.exit_code = report.exit_code;
  outcome.wall_seconds = report.wall_seconds;
  HONE_TRY(outcome.output, read_file(output, kMaxOutputBytes));
  return outcome;
}

std::optional<ValidationError> judge(const RunOutcome& outcome, int exit_code,
                                     const std::string& output, std::size_t number,
                                     const std::string& prefix) {
  Json data = {{"run", number}};
  if (!outcome.error.empty()) {
    return ValidationError{prefix + outcome.error, std::move(data)};
  }
  if (outcome.exit_code != exit_code) {
    data["expected_exit_code"] = exit_code;
    data["output"] = outcome.output.substr(0, kShownBytes);
    return ValidationError{prefix + "Runtime error (" + std::to_string(outcome.exit_code) + ")",
                           std::move(data)};
  }
  if (outcome.output != output) {
    data.update(output_difference(output, outcome.output));
    return ValidationError{prefix + "Wrong output", std::move(data)};
  }
  return std::nullopt;
}

std::string describe(const ValidationError& error) {
  // As JSON a text is quoted and stays on its line, whatever a program printed.
  const auto shown = [&error](const char* key) { return dump_json(error.data.at(key)); };
  if (error.data.contains("byte")) {
    return error.type + ", at byte " + shown("byte") + " " + shown("actual") + " where " +
           shown("expected") + " was expected";
  }
  if (error.data.contains("expected_exit_code")) {
    return error.type + ", exit code " + shown("expected_exit_code") +
           " was expected; it printed " + shown("output");
  }
  return error.type;
}

Result<std::optional<ValidationError>> try_link(const fs::path& bitcode,
                                                const std::vector<std::string>& link,
                                                const fs::path& output, const std::string& prefix,
                                                const std::stop_token& stop) {
  const Result<double> linked = link_program(bitcode, link, output, stop);
  if (linked) {
    return std::optional<ValidationError>();
  }
  const ErrorCode code = linked.error().code;
  if (code != ErrorCode::invalid_argument && code != ErrorCode::timed_out) {
    return linked.error();
  }
  return std::optional(ValidationError{
      prefix + (code == ErrorCode::timed_out ? "Compilation timeout" : "Compilation failed"),
      {{"output", linked.error().message}}});
}

}  // namespace hone
