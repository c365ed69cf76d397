// How much of a difference may come from where the code happens to lie.
//
// Each side of a comparison may consist of several links of the same objects, in different order,
// of which one is drawn for each run. What the place of the code does to a binary's speed is then
// part of the error instead of part of the answer: it averages out with the number of links, and
// its size can be told. Model: log_ratio = reward - effect of the baseline's link + effect of the
// candidate's + noise. Thread safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/base/random.h"

namespace hone {

// Which of `layouts` is drawn for each run of one side: every one as often as any other, give or
// take one, in random order. Not thread safe.
class LayoutDeck {
 public:
  // layouts >= 1.
  explicit LayoutDeck(std::size_t layouts) : layouts_(layouts) {}
  std::size_t draw(Random& random);

 private:
  std::size_t layouts_;
  std::vector<std::size_t> left_;
};

struct LayoutSample {
  double log_ratio = 0;  // adjusted for the order effect
  std::size_t baseline_layout = 0;
  std::size_t candidate_layout = 0;
};

// The standard deviation of the log time over links of one side: the between-group component of
// variance (ANOVA, unbalanced groups; Searle, Casella and McCulloch, "Variance Components", 1992,
// section 3.6), taken for each side and averaged as variances. 0 where the groups differ no more
// than noise lets them, and where there is too little to tell: a side with fewer than two layouts,
// or fewer than twice as many samples as layouts.
double layout_sigma(std::span<const LayoutSample> samples);

// What two sets of `layouts` links of equal binaries may differ by, with 95 % probability:
// 1.96 * sigma * sqrt(2 / layouts).
double layout_difference(double sigma, std::size_t layouts);

}  // namespace hone
