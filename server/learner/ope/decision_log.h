// Decisions that were taken with known probabilities, and what came of them: what off-policy
// evaluation reads. Plain values. Thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct LoggedDecision {
  std::vector<double> features;  // of the state, as many in every row
  std::size_t action = 0;        // which was taken, below the log's count
  double log_propensity = 0;     // natural logarithm of the probability with which it was taken
  double reward = 0;             // ln(T_baseline / T_candidate)
};

struct DecisionLog {
  std::size_t actions = 0;  // that could be taken in every state
  std::vector<LoggedDecision> rows;
  // Of each row, which others it shares its reward's noise with (one measurement that stands for
  // several decisions, tries on one program): these count as one where an interval is made, and
  // none is predicted by a model of the others. Empty: each row is by itself.
  std::vector<std::size_t> groups{};

  std::size_t group_of(std::size_t row) const { return groups.empty() ? row : groups[row]; }
};

// A policy to be evaluated: the probability of every action in a state of these features, in the
// order of the actions. They add up to 1.
using PolicyProbabilities = std::function<std::vector<double>(std::span<const double> features)>;

inline constexpr std::size_t kMaxLoggedActions = 10'000;
inline constexpr std::size_t kMaxLogFeatures = 4'096;

// invalid_argument names the first row that is wrong, its field and value: an action that is none,
// a propensity that is no logarithm of a probability, a number that is not finite, another count of
// features than in row 0. Groups, where there are some, must be as many as rows.
Result<void> check(const DecisionLog& log);

}  // namespace hone
