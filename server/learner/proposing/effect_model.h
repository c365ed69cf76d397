// What the parts of a candidate are worth, learnt from all that were tried together.
//
// A reward is modelled as the sum of the effects of its parts, plus what this candidate alone has:
//
//   reward(c) = sum over parts a of c, each where it stands (a file f, or all of them), of
//               effect_a + own_{f,a}, and rest_c
//               effect ~ N(0, s^2), own ~ N(0, s^2), rest ~ N(0, s^2 / 10)
//
// Where it is known how much of the time goes to which file (`hot`), an effect is what a part does
// to a file's own time, and counts by the file's share of all; so a candidate that changes the hot
// files alone shares nearly all with one that changes every file, and one that leaves the hottest
// file plain does not.
//
// Trials of other targets say something, too, where effects are alike from product to product: of
// two targets, those of one part are correlated by r, which is 0, a quarter or a half, whichever
// makes the trials likeliest (a hierarchical prior: Gelman et al., Bayesian Data Analysis, 3rd ed.,
// ch. 5). Where products have nothing in common, r is 0 and the others say nothing.
//
// Trials of one measurement (their binaries are equal: the worker measures such a one once) are one
// observation of the first, and say of the others that they are worth the same, so that nothing is
// counted twice and parts that change no code are known for it.
//
// A part is a setting ("-unroll-count=4"), or what a pipeline runs more or less often than the
// compiler's own. So a candidate is judged by every trial that shares a part with it, and a lucky
// measurement counts for little beside five sober ones: this is what keeps a search by noisy
// rewards from running after noise. It is a Gaussian process with a linear kernel (Rasmussen and
// Williams, 2006, ch. 2); s is the value of a small grid that makes the trials likeliest
// which are not known to be equal to another or to the baseline.
// Interactions between parts are in no part's effect: they are in `rest`. Thread safe once fitted.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/protocol/source_profile.h"
#include "server/learner/proposing/trial.h"

namespace hone {

struct EffectEstimate {
  double mean = 0;
  double deviation = 0;  // standard, of what the candidate is really worth
};

// What was tried on a target, and where its time goes (empty: not known).
struct TargetTrials {
  std::string target;  // empty: the one that is proposed for
  std::vector<Trial> trials;
  std::vector<FileShare> hot;
};

class EffectModel {
 public:
  // From those that have a reward. `own` has no name, the others have.
  static EffectModel fit(const TargetTrials& own, int llvm_major,
                         std::span<const TargetTrials> others = {});
  ~EffectModel();
  EffectModel(EffectModel&& other) noexcept;
  EffectModel& operator=(EffectModel&& other) noexcept;

  std::vector<EffectEstimate> estimate(std::span<const Assignment> candidates) const;
  // How often each of them is the best of all in `draws` of what they may be worth (Thompson's
  // probability of being best, counted), and better than all of `known` by `margin`: a draw in
  // which none is counts for none.
  std::vector<std::size_t> count_best(std::span<const Assignment> candidates,
                                      std::span<const Assignment> known, double margin,
                                      std::size_t draws, Random& random) const;
  double scale() const;    // s
  double sharing() const;  // r

 private:
  struct Fitted;  // keeps Eigen out of the header
  explicit EffectModel(std::unique_ptr<Fitted> fitted);
  std::unique_ptr<Fitted> fitted_;
};

}  // namespace hone
