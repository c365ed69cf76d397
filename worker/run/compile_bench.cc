#include "worker/run/compile_bench.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "staging/verdict/comparison.h"
#include "worker/build/compile_log.h"

namespace hone {
namespace {

constexpr std::size_t kFewestPairs = 12;
constexpr double kRaceSeconds = 1800;
constexpr double kConfirmSeconds = 7200;

std::string name_of(int slot) {
  char name[16];
  std::snprintf(name, sizeof name, "c%03d", slot);
  return name;
}

// As a run of the benchmark that ended in the same way.
BenchmarkRun as_run(const BuildReport& report) {
  BenchmarkRun run;
  run.cpu_seconds = report.cpu_seconds;
  run.wall_seconds = report.wall_seconds;
  run.reason = report.reason;
  switch (report.end) {
    case BuildEnd::ok:
      break;
    case BuildEnd::failed:
      run.run_class = RunClass::failed;
      break;
    case BuildEnd::timed_out:
      run.run_class = RunClass::timed_out;
      run.reason += ", by one job at a time";
      break;
    case BuildEnd::limit_exceeded:
      run.run_class = RunClass::limit_exceeded;
      break;
    case BuildEnd::stopped:
      run.run_class = RunClass::stopped;
      break;
    case BuildEnd::unavailable:
      run.run_class = RunClass::not_started;
      run.error = fail(ErrorCode::unavailable, report.reason);
      break;
  }
  return run;
}

BenchmarkRun failed(std::string reason) {
  BenchmarkRun run;
  run.run_class = RunClass::failed;
  run.reason = std::move(reason);
  return run;
}

std::size_t index_of(SampleRole side) {
  return side == SampleRole::baseline ? 0 : 1;
}

}  // namespace

CompileBench::CompileBench(Bench& runs, const Workspace& workspace, const WorkspaceContext& context,
                           const Slot& slot, const CompiledSides& sides)
    : runs_(runs),
      workspace_(workspace),
      context_(context),
      slot_(slot),
      policy_(sides.policy),
      name_(name_of(slot.number)),
      log_(workspace.folder() / ("step-" + name_ + ".log"), context.disk) {
  for (const std::string& output : sides.baseline) {
    expected_[0][output] = expected_[1][output] = false;
  }
  for (const EffectiveDecision& decision : sides.candidate) {
    expected_[1][decision.output] = decision.tuned;
  }
}

CompileBench::~CompileBench() {
  remove_extra(workspace_, name_, BuildFolder::remove);
}

MaybeEnding CompileBench::prepare(const std::stop_token& stop) {
  if (expected_[0].empty()) {
    return Ending{Outcome::benchmark_failed,
                  "metric compile_time: no object of the product is compiled by {cc}, {cxx} or "
                  "CMake's compilers, so that no policy changes what its build takes"};
  }
  if (workspace_.target().build.cmake) {
    ExtraBuild first = build_of(SampleRole::baseline, 0);
    first.variant.part = BuildPart::preparation;
    const Result<BuildReport> made = build_extra(workspace_, context_, first, log_, stop);
    if (!made) {
      trouble_ = made.error();
    } else if (made->end == BuildEnd::ok) {
      if (const Result<void> kept = keep_prepared(workspace_, context_, first, log_, stop);
          kept.has_value()) {
        prepared_ = true;
      } else if (!stop.stop_requested()) {
        trouble_ = kept.error();
      }
    }
    // What did not end well will not in the whole build either, which is told below.
  }
  if (trouble_) {
    return Ending{Outcome::benchmark_failed, trouble_->message};
  }
  const BenchmarkRun first = timed(SampleRole::baseline, 0, stop);
  if (first.run_class == RunClass::stopped) {
    return Ending{Outcome::cancelled, "stopped on request"};
  }
  if (trouble_) {
    return Ending{Outcome::benchmark_failed, trouble_->message};
  }
  if (first.run_class != RunClass::ok) {
    return Ending{Outcome::baseline_failed, "the baseline, built to be timed: " + first.reason};
  }
  baseline_seconds_ = first.wall_seconds;
  if (baseline_seconds_ > kLongestTimedBuild) {
    return Ending{Outcome::benchmark_failed,
                  "metric compile_time: a build by one job at a time takes " +
                      std::to_string(static_cast<int>(baseline_seconds_)) + " s, more than the " +
                      std::to_string(static_cast<int>(kLongestTimedBuild)) +
                      " s of which dozens can be measured; name fewer targets in build.cmake or a "
                      "part of the product in build.commands"};
  }
  return std::nullopt;
}

std::size_t CompileBench::most_pairs(Stage stage) const {
  const bool race = stage == Stage::race;
  const double seconds = race ? kRaceSeconds : kConfirmSeconds;
  const double affordable = seconds / (2 * std::max(baseline_seconds_, 0.001));
  const double most = static_cast<double>(race ? kRacePairs : kConfirmPairs);
  return std::max(kFewestPairs, static_cast<std::size_t>(std::min(affordable, most)));
}

BenchmarkRun CompileBench::run(const BenchRun& wanted, const std::stop_token& stop) {
  return wanted.purpose == RunPurpose::check ? runs_.run(wanted, stop)
                                             : timed(wanted.role, wanted.padding, stop);
}

ExtraBuild CompileBench::build_of(SampleRole side, std::size_t padding) const {
  ExtraBuild build;
  build.name = name_;
  build.slot = slot_.number;
  if (side == SampleRole::candidate) {
    build.policy = policy_;
  }
  // As for the runs of a benchmark: where the compiler's stack lies is drawn for each pair.
  build.environment = {"HONE_PADDING=" + std::string(std::min(padding, kMaxPadding), 'x')};
  build.variant.cpu = slot_.cpu;
  if (prepared_) {
    build.variant.prepared = prepared_folder(workspace_, name_);
  }
  return build;
}

BenchmarkRun CompileBench::timed(SampleRole side, std::size_t padding,
                                 const std::stop_token& stop) {
  const Result<BuildReport> report =
      build_extra(workspace_, context_, build_of(side, padding), log_, stop);
  if (!report) {
    return machine_trouble(report.error());
  }
  BenchmarkRun run = as_run(*report);
  if (run.error) {
    return machine_trouble(*run.error);
  }
  if (run.run_class != RunClass::ok) {
    return run;
  }
  const Result<std::string> amiss = what_is_amiss(side);
  if (!amiss) {
    return machine_trouble(amiss.error());
  }
  return amiss->empty() ? run : failed(*amiss);
}

Result<std::string> CompileBench::what_is_amiss(SampleRole side) const {
  Result<std::vector<CompileLine>> read = read_compile_log(extra_compile_log(workspace_, name_));
  if (!read && read.error().code == ErrorCode::too_large) {
    return "the build's log of its compiles: " + read.error().message;
  }
  HONE_TRY(const std::vector<CompileLine> lines, std::move(read));
  if (const std::optional<CompileFailure> failure = first_failure(lines)) {
    return failure->reason;
  }
  const std::filesystem::path build = extra_build_folder(workspace_, name_);
  std::map<std::string, bool> compiled;
  for (const EffectiveDecision& decision : effective_decisions(
           lines, builds_in_copy(workspace_.target()) ? build : workspace_.source(), build)) {
    compiled[decision.output] = decision.tuned;
  }
  for (const auto& [output, tuned] : expected_[index_of(side)]) {
    const auto found = compiled.find(output);
    if (found == compiled.end()) {
      return "'" + output +
             "' was not compiled, so that the build's time is not what a compile takes (a cache of "
             "the product's own?)";
    }
    if (found->second != tuned) {
      return "'" + output + "' was compiled " + (tuned ? "plain" : "tuned") +
             ", unlike in the build that was checked";
    }
  }
  return std::string();
}

BenchmarkRun CompileBench::machine_trouble(const Error& error) {
  trouble_ = error;
  BenchmarkRun run;
  run.run_class = RunClass::not_started;
  run.reason = error.message;
  run.error = fail(ErrorCode::unavailable, error.message);
  return run;
}

}  // namespace hone
