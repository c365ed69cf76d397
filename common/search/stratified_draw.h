// Draws without replacement from weighted strata, with the exact probability of every draw.
//
// A draw first picks a stratum among those with members left, with probability proportional to the
// stratum's weight, then one of its remaining members, proportional to the member's weight. So,
// given the draws before it, draw k is member i of stratum h with probability
//
//   p = W_h / sum(W_g : stratum g has members left) * w_i / sum(w_j : j left in h)
//
// and these sum to 1 over all members left. Weights are integers, so that the draw is exact and the
// same on every platform; ln p is rounded to a multiple of 2^-40 for the same reason (std::log is
// not the same to the last bit everywhere). Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/random.h"

namespace hone {

struct Stratum {
  std::uint64_t weight = 0;                   // of the stratum as a whole; 0: never drawn from
  std::vector<std::uint64_t> member_weights;  // of each member; 0: never drawn
};

struct Draw {
  std::size_t stratum = 0;
  std::size_t member = 0;
  double log_propensity = 0;  // ln p, at most 0
};

class StratifiedDraw {
 public:
  // The sum of the strata's weights, and of the members' in a stratum, must stay below 2^53.
  explicit StratifiedDraw(std::vector<Stratum> strata);

  // The next draw, or nothing when no member with a weight is left.
  std::optional<Draw> next(Random& random);

 private:
  std::vector<Stratum> strata_;      // weights of drawn members are set to 0
  std::vector<std::uint64_t> left_;  // sum of the member weights left, by stratum
};

}  // namespace hone
