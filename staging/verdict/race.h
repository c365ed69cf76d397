// A race of many candidates: which one is worth a comparison of its own?
//
// The baseline and every candidate are checked first (checked_runs.h). Then blocks: in each, the
// baseline runs once and every candidate that is still in the race once, so that the baseline's
// runs are shared by all. The order of a block is random, every second one's that of the block
// before, reversed: so each candidate runs before the baseline as often as behind it. Of a metric
// that is the same in every run, one block says who is best. After each round of
// common/stats/halving.h the slower half leaves. A candidate that fails, or whose output differs,
// leaves at once. What the winner is worth must be measured by compare() on fresh pairs; what the
// race itself says of a candidate: race_estimate.h. Thread safe; blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/protocol/attempt_result.h"
#include "common/protocol/target_spec.h"
#include "common/stats/halving.h"
#include "common/stats/paired_sample.h"
#include "staging/verdict/bench.h"

namespace hone {

inline constexpr std::size_t kMaxRaceCandidates = 256;

// One candidate's place.
struct RaceEntry {
  std::size_t candidate = 0;  // of the bench
  Outcome outcome = Outcome::ok;
  std::string reason;      // unless ok
  std::size_t blocks = 0;  // it was measured in
  // ln(T_baseline / T_candidate), Hodges-Lehmann over its blocks; only with ok. Of the first ones
  // it flatters.
  double reward = 0;
  // Each block it was measured in, as a pair of its run and the baseline's; and the samples of
  // these, of which the baseline's are in other candidates' entries as well.
  std::vector<PairedSample> pairs = {};
  std::vector<Sample> samples = {};
};

// For people to look at: candidates in the race, and blocks that each has been measured in.
struct RaceProgress {
  std::size_t candidates = 0;
  std::size_t blocks = 0;
};

struct RacePlan {
  BenchmarkSpec benchmark;
  std::uint64_t seed = 1;
  std::function<void(const RaceProgress&)> on_block = {};
  HalvingPlan halving = {};
  // Told of each candidate when it leaves, and at the end of the best one: not of those that are
  // still in a race whose outcome is not ok.
  std::function<void(const RaceEntry&)> on_leave = {};
};

struct Race {
  Outcome outcome = Outcome::ok;  // other than ok: nothing can be said of any candidate
  std::string reason;
  // The best first, then those that left in later rounds before those that left in earlier ones;
  // those that failed last, in their order.
  std::vector<RaceEntry> entries;
  std::size_t runs = 0;  // samples that were taken, the baseline's included
};

// Outcomes other than ok: benchmark_failed, baseline_failed, nondeterministic and cancelled, as of
// compare(); with one candidate or none left, the race is over before it began. A candidate whose
// run the bench stops although no stop was requested was withdrawn: it leaves with outcome
// cancelled, and the others go on.
Race race(Bench& bench, const RacePlan& plan, const std::stop_token& stop);

}  // namespace hone
