// Both sides of a job as builds that are timed: what the metric compile_time measures. Outputs are
// still those of the benchmark's runs, so that a candidate that is wrong does not win.
//
// One measured run of a side is its build from nothing, in one and the same folder for both sides,
// by one job at a time on the slot's processor, without an object cache; its value is the processor
// time of all its processes. Not counted is what no policy changes: CMake's configure step, which
// runs once for all, and the copy of the source where the build needs one. A build of which not
// every object was compiled, and as this side's policy has it, is not measured but failed: whatever
// answered in the compiler's place, it took another time.
//
// Not thread safe: one object per slot.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "staging/verdict/checked_runs.h"
#include "worker/build/extra_build.h"
#include "worker/run/job_runner.h"

namespace hone {

// What each side's build has to compile.
struct CompiledSides {
  const std::set<std::string>& baseline;            // outputs, all of them plain
  const std::vector<EffectiveDecision>& candidate;  // as the build of its binaries had them
  const std::string& policy;                        // the candidate's, as bytes
};

// A build may take this long; of a longer one the smallest number of pairs would take hours.
inline constexpr double kLongestTimedBuild = 300;

class CompileBench final : public Bench {
 public:
  // `runs`, which all runs to check are passed on to, and the other references outlive it.
  CompileBench(Bench& runs, const Workspace& workspace, const WorkspaceContext& context,
               const Slot& slot, const CompiledSides& sides);
  ~CompileBench() override;
  CompileBench(const CompileBench&) = delete;
  CompileBench& operator=(const CompileBench&) = delete;

  // Call first: configures the product and builds the baseline once, which shows whether it can be
  // timed and what that takes. benchmark_failed where no object is compiled by the launcher or a
  // build takes longer than kLongestTimedBuild; baseline_failed where it does not build.
  MaybeEnding prepare(const std::stop_token& stop);

  // So many that builds alone take at most about half an hour for a race and two hours for a
  // confirmation; never fewer than a first look's 12, nor more than the stage has.
  std::size_t most_pairs(Stage stage) const;

  BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) override;

  // This machine's; whatever was concluded is void then.
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  ExtraBuild build_of(SampleRole side, std::size_t padding) const;
  BenchmarkRun timed(SampleRole side, std::size_t padding, const std::stop_token& stop);
  // Why the build that was just made is not the one to be measured; empty if it is.
  Result<std::string> what_is_amiss(SampleRole side) const;
  BenchmarkRun machine_trouble(const Error& error);

  Bench& runs_;
  const Workspace& workspace_;
  const WorkspaceContext& context_;
  const Slot& slot_;
  const std::string& policy_;
  std::string name_;
  StepLog log_;
  std::map<std::string, bool> expected_[2];  // by role: whether each output is tuned
  bool prepared_ = false;                    // there is a folder to start from
  double baseline_seconds_ = 0;
  std::optional<Error> trouble_;
};

}  // namespace hone
