// Jobs that one slot measures together: candidates of one campaign, raced by successive halving
// with the baseline's runs shared (staging/verdict/race.h). A job that nothing can be raced beside
// is a heat of one, measured by compare().
//
// First the candidates are built, one after the other, as long as there are further jobs, the disk
// has room and it takes no longer than kGathering. What is known without a run (a build that fails,
// a binary that was measured before) ends its job at once. Of equal binaries one runs, the others
// take its result. Then the race. Each job ends when its candidate leaves it. A job that is
// cancelled, or whose lease is lost, leaves the others to it; what the blocks before that say of it
// counts. This machine's trouble ends what is unfinished: the job whose build or run met it goes
// back counted (where all were at it, the first one), and the others uncounted. So one that no
// machine has room for uses up its own attempts and nobody else's, and no heat ends without one
// that is counted. Not thread safe; blocks.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "staging/verdict/comparison.h"
#include "staging/verdict/race.h"
#include "worker/build/kept_builds.h"
#include "worker/build/workspace.h"
#include "worker/run/built_bench.h"
#include "worker/run/candidate_build.h"
#include "worker/run/heat_bench.h"
#include "worker/run/heat_leases.h"
#include "worker/run/job_runner.h"

namespace hone {

// A campaign whose time is up should not end with builds that nobody measured.
inline constexpr std::chrono::minutes kGathering{10};

class Heat {
 public:
  // All must outlive it. `stop` is the worker's.
  Heat(Workspace& workspace, const WorkspaceContext& context, HeatLeases& leases, const Slot& slot,
       const std::stop_token& stop);

  // Tells the end of every lease.
  void run();

 private:
  struct Job {
    const HeldLease* held = nullptr;
    std::unique_ptr<CandidateBuild> build;
  };
  struct Racer {
    Job job;
    std::optional<BuiltBench> bench;
    std::size_t kept = 0;
    std::vector<Job> twins;  // of the same binary
    bool over = false;
  };

  void gather();
  bool may_grow();
  // Whether the candidate is to be measured.
  Result<bool> make(CandidateBuild& build, const std::stop_token& stop);
  void add_racer(Job job);

  // Racers whose jobs have not ended.
  std::vector<Racer*> unfinished() const;
  void check_machine();
  void profile_baseline_once();
  // Those with as many links as each other are raced.
  void measure();
  void measure_group(const std::vector<Racer*>& group);
  void race_all(const std::vector<Racer*>& group, HeatBench& bench);
  void measure_one(Racer& racer, HeatBench& bench, std::size_t candidate);
  // Where the metric is of the build: builds are what is timed.
  void compare_builds(Racer& racer, HeatBench& bench, ComparisonPlan plan);
  static std::vector<std::stop_token> stops_of(const std::vector<Racer*>& racers);
  static std::vector<HeatSide> sides_of(const std::vector<Racer*>& racers);
  static void take(const RaceEntry& entry, const HeatBench& bench, CandidateBuild& build);
  static void take(Comparison comparison, CandidateBuild& build);
  void finish(Racer& racer);
  void finish_twins(Racer& racer, const AttemptResult& result, bool counted);
  // Ends the job of `met`, which met it, and hands the others back; null: no racer did.
  void end_all(const Error& trouble, Racer* met);
  Racer* who_met(const std::vector<Racer*>& group, std::optional<std::size_t> number) const;

  Workspace& workspace_;
  const WorkspaceContext& context_;
  HeatLeases& leases_;
  const Slot& slot_;
  const std::stop_token& stop_;
  KeptBuilds builds_;
  bool opened_ = false;
  std::chrono::steady_clock::time_point started_ = {};  // with the first build
  std::vector<std::unique_ptr<Racer>> racers_;
  std::optional<SelfCheck> check_;        // until a result takes it
  std::optional<SourceProfile> profile_;  // likewise
};

}  // namespace hone
