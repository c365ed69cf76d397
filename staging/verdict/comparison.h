// Compares two binaries on a benchmark: do they give the same output, and which is faster?
//
// 1. Each input: the baseline runs twice, its outputs must agree with each other and with the
//    expected one; the candidate runs once. These runs are the warm-up, too.
// 2. Pairs of adjacent runs, in blocks of four with two in each order, permuted from the seed. A
//    pair runs every input, in one order for all; its log ratio is the mean of its inputs' (so the
//    reward is the logarithm of the geometric mean, each input counting alike however long it
//    runs).
// 3. After each pair the sequential test is asked (common/stats/sequential_test.h): a race looks at
//    12, 16 and 24 pairs, a confirmation at up to 192.
// A metric that is the same in every run (is_repeatable()) takes two pairs instead, a size one and
// no run: if they agree, a difference of any size is faster or slower, and the interval is the
// value. The output of every run is checked, not only of the first. Where a side has several links
// of its binary, one is drawn for each run (common/stats/layout_effect.h), and a difference that
// links of equal binaries may show as well is within_noise. Thread safe; blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/protocol/attempt_result.h"
#include "common/protocol/target_spec.h"
#include "common/stats/sequential_test.h"
#include "staging/verdict/bench.h"

namespace hone {

inline constexpr std::size_t kRacePairs = 24;
inline constexpr std::size_t kConfirmPairs = 192;

// Of fewer pairs an interval says nothing: its ends are the extremes.
inline constexpr std::size_t kFewestShown = 6;

struct ComparisonPlan {
  BenchmarkSpec benchmark;
  std::size_t candidate = 0;  // which of the bench's
  Stage stage = Stage::race;
  std::uint64_t seed = 1;
  double noise_floor = 0.01;              // smallest log ratio worth acting on, > 0
  std::optional<std::size_t> most_pairs;  // instead of the stage's, at least the first look's 12
  // Told after each pair what is known so far; for people to look at, not to stop by.
  std::function<void(const SequentialDecision&)> on_pair;
};

struct Comparison {
  Outcome outcome = Outcome::ok;
  std::string reason;              // unless ok: which side, which input, what
  std::optional<Verdict> verdict;  // with ok only
  // With ok; with cancelled what was known by then, if there were kFewestShown pairs.
  std::optional<RewardEstimate> reward;
  std::vector<Sample> samples;  // what was measured until the end, whatever the outcome
  std::vector<std::string> warnings;
  // Standard deviation of the log time over links of equal binaries; 0 with one link a side, or if
  // none shows above the noise.
  double layout_sigma = 0;
};

// Outcomes other than ok:
//   benchmark_failed   the baseline fails, hangs, exceeds a limit or prints no metric
//   baseline_failed    the baseline's output is not the expected one
//   nondeterministic   the baseline's outputs differ from run to run
//   miscompiled        the candidate's output differs, or it fails, cannot be started or prints no
//                      metric where the baseline, asked eight times more, does not
//   timed_out, limit_exceeded   of the candidate where the baseline keeps within
//   cancelled          a stop was requested
Comparison compare(Bench& bench, const ComparisonPlan& plan, const std::stop_token& stop);

}  // namespace hone
