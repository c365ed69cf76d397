// A group-sequential paired test: measure until the answer is certain enough, then stop.
//
// Looks are taken at n = 12, 16, 24, 32, 48, 64, 96, 128 and 192 pairs, at no other n. At each:
//   1. signed-rank test of the order-adjusted log ratios at multiplier 2.62 (two-sided 5 % over all
//      looks together): shifted -> faster or slower, or within_noise if |estimate| < delta;
//   2. else both "shift >= +delta" and "shift <= -delta" rejected at 1.96 -> no_change;
//   3. else at the last look -> inconclusive;
//   4. else from n = 24 on, if 1.4826 * MAD > 7.2 % and there is no sign of an effect -> too_noisy.
// delta = max(floor, 1.96 * sigma_layout * sqrt(2 / m)) where m links of each binary were drawn: a
// smaller difference may come from where the code happens to lie. Nothing is deleted as an outlier.
// Measured on real pairs: false calls 1.0-4.8 %, a 1 % effect found in 92-97 % of the cases where
// one pair's standard deviation is at most 3 %. What breaks it: outliers in one binary only, and
// autocorrelated differences (balanced_orders() prevents those that drift makes).
// Not thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/stats/interval.h"
#include "common/stats/paired_sample.h"
#include "common/stats/verdict.h"

namespace hone {

inline constexpr std::array<std::size_t, 9> kLooks = {12, 16, 24, 32, 48, 64, 96, 128, 192};
inline constexpr double kRejectMultiplier = 2.62;
inline constexpr double kNoChangeMultiplier = 1.96;
inline constexpr std::size_t kAbortFrom = 24;
inline constexpr double kAbortSigma = 0.072;
inline constexpr double kAbortEffect = 1.6;

struct SequentialSettings {
  double noise_floor = 0.01;  // smallest log ratio worth acting on, > 0
  double sigma_layout = 0;    // standard deviation of log time over no-op relinks, >= 0; 0: unknown
  std::size_t layouts = 1;    // m, links drawn per side, >= 1
  std::size_t max_pairs = 192;  // the last look: the largest of kLooks that is not above it
  // A race against a baseline only asks "is it better?": not-better-by-delta is enough for
  // no_change.
  bool one_sided_no_change = false;
};

// max(noise_floor, 1.96 * sigma_layout * sqrt(2 / layouts)).
double no_change_delta(const SequentialSettings& settings);

// The multiplier of the interval reported after stopping at n pairs: 2.00 (n <= 12), 2.12 (n <=
// 16), 2.22. Larger than 1.96 because the test stopped when the data looked clear.
double interval_multiplier(std::size_t pairs);

struct SequentialDecision {
  TestVerdict verdict = TestVerdict::inconclusive;
  std::size_t pairs = 0;    // that the decision rests on
  Interval reward;          // 95 %, of the log ratio
  double order_effect = 0;  // that was subtracted
  double delta = 0;         // that was used
  double sigma = 0;         // 1.4826 * MAD of the adjusted log ratios, per pair
  double detectable = 0;    // the effect this many pairs at this noise find with 90 % power
};

class SequentialTest {
 public:
  // invalid_argument for settings out of their range (max_pairs below the first look included).
  static Result<SequentialTest> create(const SequentialSettings& settings);

  // Adds a pair. conflict if a decision was reached already, invalid_argument if the ratio is not
  // finite. A look is taken when the number of pairs reaches the next one.
  Result<void> add(const PairedSample& sample);

  // The pairs at which the next look is due, or nothing once decided.
  std::optional<std::size_t> next_look() const;
  // Pairs still to be measured until the next look; 0 once decided.
  std::size_t pairs_missing() const;

  // The decision, once a look has made one.
  const std::optional<SequentialDecision>& decision() const { return decision_; }

  // What is known so far, at any n >= 1, as a decision with verdict inconclusive: for a progress
  // display and for a race that is cut short. Its interval is not corrected for further peeking.
  SequentialDecision snapshot() const;

  std::span<const PairedSample> samples() const { return samples_; }

 private:
  explicit SequentialTest(const SequentialSettings& settings);
  void look();

  SequentialSettings settings_;
  double delta_;
  std::size_t last_look_;
  std::vector<PairedSample> samples_;
  std::optional<SequentialDecision> decision_;
};

}  // namespace hone
