// Chooses few sequences that together do well on many programs.
//
// The value of a choice is the weighted mean over the programs of the best gain in it, where doing
// nothing (-Oz, gain 0) is always to be had. That is monotone and submodular, so taking the best
// next one each time reaches at least 1 - 1/e of the best choice of that size (Nemhauser, Wolsey
// and Fisher, Mathematical Programming 14, 1978). Pure mathematics. Thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace hone {

// gains[program][sequence]: ln(cost of -Oz / cost of the sequence); nothing: it failed there.
using GainMatrix = std::vector<std::vector<std::optional<double>>>;

struct CoverStep {
  std::size_t sequence = 0;
  double value = 0;  // of this and all before
};

// At most `most` steps; fewer if nothing adds more than `least_added`. `weights`: one for each
// program, positive. A sequence that failed on more than `most_failed` (a share) of the programs is
// not chosen. Of equals the first is taken.
struct CoverSettings {
  std::size_t most = 20;
  double least_added = 1e-6;
  double most_failed = 0.0;
};
std::vector<CoverStep> greedy_cover(const GainMatrix& gains, const std::vector<double>& weights,
                                    const CoverSettings& settings);

}  // namespace hone
