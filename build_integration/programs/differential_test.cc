#include "build_integration/programs/differential_test.h"

#include <csignal>
#include <cstdlib>
#include <optional>

#include <nlohmann/json.hpp>

#include "build_integration/programs/clang_compile.h"
#include "common/base/file.h"
#include "common/base/remove_tree.h"
#include "common/base/subprocess.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxOutputBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kMaxMemoryBytes = std::uint64_t{4} << 30U;
constexpr std::size_t kShownBytes = 200;

struct Outcome {
  std::string error;  // CompilerGym's type; empty: it ended by itself
  int exit_code = 0;
  std::string output;
};

// A core of what went wrong: the first place where they differ.
Json difference(std::string_view expected, std::string_view actual) {
  std::size_t at = 0;
  while (at < expected.size() && at < actual.size() && expected[at] == actual[at]) {
    ++at;
  }
  return {{"byte", at},
          {"expected", std::string(expected.substr(at, kShownBytes))},
          {"actual", std::string(actual.substr(at, kShownBytes))}};
}

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

// Each run has a folder of its own, of the same name for both programs.
Result<Outcome> run_once(const fs::path& program, const ProgramRun& run_of, const fs::path& folder,
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
  command.working_folder = place;
  command.stdin_file = input;
  command.stdout_file = output;
  command.stderr_file = output;
  command.limits.wall_time = run_of.limit;
  command.limits.file_size_bytes = kMaxOutputBytes;
  command.limits.address_space_bytes = kMaxMemoryBytes;
  HONE_TRY(const RunReport report, run(command, stop));
  if (report.end == RunEnd::stopped) {
    return fail(ErrorCode::cancelled, "stopped");
  }
  Outcome outcome;
  outcome.error = error_type(report);
  outcome.exit_code = report.exit_code;
  HONE_TRY(outcome.output, read_file(output, kMaxOutputBytes));
  return outcome;
}

// Nothing: it does what it must.
std::optional<ValidationError> judge(const Outcome& outcome, int exit_code,
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
    data.update(difference(output, outcome.output));
    return ValidationError{prefix + "Wrong output", std::move(data)};
  }
  return std::nullopt;
}

// A link that fails is the module's fault; a tool that is missing is not.
Result<std::optional<ValidationError>> link(const fs::path& bitcode, const Program& program,
                                            const fs::path& output, const std::string& prefix,
                                            const std::stop_token& stop) {
  const Result<void> linked = link_program(bitcode, program.link, output, stop);
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

class Test {
 public:
  Test(const Program& program, fs::path folder, std::stop_token stop)
      : program_(program), folder_(std::move(folder)), stop_(std::move(stop)) {}

  Result<SemanticsCheck> run(const fs::path& optimised) {
    HONE_TRY(const auto no_gold, link(program_.file, program_, gold(), kGold, stop_));
    if (no_gold) {
      return gold_failed(*no_gold);
    }
    HONE_TRY(const auto no_candidate, link(optimised, program_, candidate(), "", stop_));
    if (no_candidate) {
      return SemanticsCheck{true, true, {*no_candidate}};
    }
    SemanticsCheck check;
    for (std::size_t i = 0; i < program_.runs.size(); ++i) {
      HONE_CHECK(compare(program_.runs[i], i + 1, check));
    }
    return check;
  }

 private:
  inline static const std::string kGold = "Gold standard: ";

  fs::path gold() const { return folder_ / "unoptimised"; }
  fs::path candidate() const { return folder_ / "optimised"; }

  SemanticsCheck gold_failed(const ValidationError& error) const {
    return {program_.runs_unoptimised, program_.runs_unoptimised, {error}};
  }

  Result<void> compare(const ProgramRun& run_of, std::size_t number, SemanticsCheck& check) {
    HONE_TRY(const Outcome expected, run_once(gold(), run_of, folder_, stop_));
    const std::string& output = run_of.output ? *run_of.output : expected.output;
    if (const auto error = judge(expected, run_of.exit_code, output, number, kGold)) {
      const SemanticsCheck failed = gold_failed(*error);
      check.validated = check.validated || failed.validated;
      check.failed = check.failed || failed.failed;
      check.errors.push_back(*error);
      return {};
    }
    HONE_TRY(const Outcome actual, run_once(candidate(), run_of, folder_, stop_));
    const auto error = judge(actual, run_of.exit_code, output, number, "");
    if (error && !run_of.output) {
      HONE_TRY(const Outcome again, run_once(gold(), run_of, folder_, stop_));
      if (again.output != expected.output || again.exit_code != expected.exit_code) {
        // Time, addresses, chance: nothing can be said of the optimised one.
        check.errors.push_back(
            {kGold + "Output varies", difference(expected.output, again.output)});
        return {};
      }
    }
    check.validated = true;
    if (error) {
      check.failed = true;
      check.errors.push_back(*error);
    }
    return {};
  }

  const Program& program_;
  fs::path folder_;
  std::stop_token stop_;
};

}  // namespace

Result<SemanticsCheck> differential_test(const Program& program, const fs::path& optimised,
                                         const std::stop_token& stop) {
  if (program.runs.empty()) {
    return SemanticsCheck();
  }
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("hone-run-"));
  return Test(program, folder.path(), stop).run(optimised);
}

}  // namespace hone
