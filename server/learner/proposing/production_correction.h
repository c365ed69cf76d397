// Staging's rewards corrected by what canaries saw in production.
//
// Two measurements of the same thing, the cheap one biased: the autoregressive model of Kennedy and
// O'Hagan (2000, "Predicting the output from a complex computer code when fast approximations are
// available"), of one target:
//
//   production(c) = a + b * staging(c) + d_c        a ~ N(0, 0.01^2), b ~ N(1, 0.25^2)
//                                                   d ~ N(0, w^2 R), R: how much two candidates
//                                                   share
//   staging(c)    = its reward, give or take its interval
//   a canary      = production(tried) - production(known good), give or take its interval;
//                   the plain build's production is 0
//
// w, how far production strays from the line, is the value of a small grid that makes the canaries
// likeliest, with a weak wish for one per cent. All is normal, so that the posterior is exact: a
// candidate that was a canary is worth the mean of both by their precisions, others move along the
// line (shrunk to the identity while there are few canaries) and with what they share with those
// that were tried. Without canaries staging's rewards are what they were, to the bit. Thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "server/learner/proposing/trial.h"

namespace hone {

struct CanaryObservation {
  std::size_t tried = 0;                       // index of a candidate
  std::optional<std::size_t> known_good = {};  // likewise; absent: the plain build
  TrialReward reward;                          // of the one against the other
};

struct ProductionCorrection {
  double offset = 0;  // a
  double offset_deviation = 0;
  double slope = 1;  // b
  double slope_deviation = 0;
  double scatter = 0;  // w
  // What each candidate is worth in production. The deviation of one that was no canary is its
  // staging's, times b: what is not known of the line is not known of all alike, and changes no
  // order.
  std::vector<TrialReward> worth;
};

// From 0 (nothing in common) to 1 (the same).
using Likeness = std::function<double(std::size_t, std::size_t)>;

// Of one whom staging did not measure: most are worth little.
inline constexpr TrialReward kNotStaged{0, 0.03};

// Indices of `seen` must be of `staging`.
ProductionCorrection correct_by_production(std::span<const TrialReward> staging,
                                           std::span<const CanaryObservation> seen,
                                           const Likeness& likeness);

}  // namespace hone
