#include "build_integration/programs/differential_test.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "build_integration/programs/program_run.h"
#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class Test {
 public:
  Test(const Program& program, fs::path folder, std::stop_token stop)
      : program_(program), folder_(std::move(folder)), stop_(std::move(stop)) {}

  Result<SemanticsCheck> run(const fs::path& optimised) {
    HONE_TRY(const auto no_gold, try_link(program_.file, program_.link, gold(), kGold, stop_));
    if (no_gold) {
      return gold_failed(*no_gold);
    }
    HONE_TRY(const auto no_candidate, try_link(optimised, program_.link, candidate(), "", stop_));
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
    HONE_TRY(const RunOutcome expected, run_program(gold(), run_of, folder_, {}, stop_));
    const std::string& output = run_of.output ? *run_of.output : expected.output;
    if (const auto error = judge(expected, run_of.exit_code, output, number, kGold)) {
      const SemanticsCheck failed = gold_failed(*error);
      check.validated = check.validated || failed.validated;
      check.failed = check.failed || failed.failed;
      check.errors.push_back(*error);
      return {};
    }
    HONE_TRY(const RunOutcome actual, run_program(candidate(), run_of, folder_, {}, stop_));
    const auto error = judge(actual, run_of.exit_code, output, number, "");
    if (error && !run_of.output) {
      HONE_TRY(const RunOutcome again, run_program(gold(), run_of, folder_, {}, stop_));
      if (again.output != expected.output || again.exit_code != expected.exit_code) {
        // Time, addresses, chance: nothing can be said of the optimised one.
        check.errors.push_back(
            {kGold + "Output varies", output_difference(expected.output, again.output)});
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
