#include "build_integration/programs/sanitized_test.h"

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "build_integration/programs/program_run.h"
#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int kSlower = 5;
constexpr std::size_t kShownBytes = 2000;
const std::string kGold = "Gold standard: ";

class Test {
 public:
  Test(const Program& program, Sanitizer sanitizer, fs::path folder, std::stop_token stop)
      : program_(program),
        sanitizer_(sanitizer),
        folder_(std::move(folder)),
        stop_(std::move(stop)) {}

  Result<SemanticsCheck> run(const fs::path& optimised) {
    const fs::path gold = folder_ / "unoptimised";
    const fs::path candidate = folder_ / "optimised";
    SemanticsCheck check;
    HONE_TRY(const auto no_gold, build(program_.file, gold, kGold));
    if (no_gold) {
      check.errors.push_back(*no_gold);
      return check;
    }
    HONE_TRY(const auto no_candidate, build(optimised, candidate, ""));
    if (no_candidate) {
      return SemanticsCheck{true, true, {*no_candidate}};
    }
    for (std::size_t i = 0; i < program_.runs.size(); ++i) {
      HONE_TRY(const auto expected, report_of(gold, i, kGold));
      if (expected) {
        check.errors.push_back(*expected);
        continue;
      }
      check.validated = true;
      HONE_TRY(const auto actual, report_of(candidate, i, ""));
      if (actual) {
        check.failed = true;
        check.errors.push_back(*actual);
      }
    }
    return check;
  }

 private:
  Result<std::optional<ValidationError>> build(const fs::path& bitcode, const fs::path& output,
                                               const std::string& prefix) {
    const fs::path checked = folder_ / "checked.bc";
    const Result<void> added = sanitize(bitcode, sanitizer_, checked, stop_);
    if (!added && added.error().code == ErrorCode::invalid_argument) {
      return std::optional(
          ValidationError{prefix + "Compilation failed", {{"output", added.error().message}}});
    }
    HONE_CHECK(added);
    std::vector<std::string> link = program_.link;
    for (std::string& argument : sanitizer_link(sanitizer_)) {
      link.push_back(std::move(argument));
    }
    Result<std::optional<ValidationError>> linked = try_link(checked, link, output, prefix, stop_);
    return linked;
  }

  Result<std::optional<ValidationError>> report_of(const fs::path& program, std::size_t number,
                                                   const std::string& prefix) {
    ProgramRun run = program_.runs[number];
    run.limit *= kSlower;
    HONE_TRY(const RunOutcome outcome,
             run_program(program, run, folder_, sanitizer_run(sanitizer_), stop_));
    const std::optional<std::string> type = sanitizer_report(outcome, sanitizer_);
    if (!type) {
      return std::optional<ValidationError>();
    }
    return std::optional(ValidationError{prefix + *type,
                                         {{"run", number + 1},
                                          {"sanitizer", std::string(to_string(sanitizer_))},
                                          {"output", outcome.output.substr(0, kShownBytes)}}});
  }

  const Program& program_;
  Sanitizer sanitizer_;
  fs::path folder_;
  std::stop_token stop_;
};

}  // namespace

Result<SemanticsCheck> sanitized_test(const Program& program, const fs::path& optimised,
                                      Sanitizer sanitizer, const std::stop_token& stop) {
  if (program.runs.empty()) {
    return SemanticsCheck();
  }
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("hone-sanitized-"));
  return Test(program, sanitizer, folder.path(), stop).run(optimised);
}

}  // namespace hone
