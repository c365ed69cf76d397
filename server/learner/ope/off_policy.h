// What a policy would have earned, from a log of another one's decisions.
//
// With weights w = pi(a|x) / p, p the logged propensity, and q the model of the reward:
//
//   direct         mean of sum_a pi(a|x) q(x, a)
//   ips            mean of w r                                    (Horvitz and Thompson, 1952)
//   snips          sum of w r / sum of w                          (Swaminathan and Joachims, 2015)
//   doubly_robust  mean of sum_a pi(a|x) q(x, a) + w (r - q(x, a))   (Dudik et al., ICML 2011)
//
// q is cross-fitted: a row is predicted by a model of the other folds. Weights are not clipped: a
// clipped estimate's interval does not hold what it says (shared experience and the test here). The
// interval is Student's of the contributions, those of a group (DecisionLog) added up, with the
// effective sample size (sum w)^2 / sum w^2 (Kish, of groups likewise) less one as its degrees of
// freedom, so that few heavy rows widen it. The direct estimate has no interval: its error is the
// model's bias. Thread safe.
//
// Weights have the mean 1 if the propensities are right and every decision of the policy could have
// been taken in every row. Otherwise (a policy's decision that was among a row's choices only now
// and then) they have not, and the estimates are of something else: so their mean is told, too.
#pragma once

#include <cstddef>

#include "common/base/result.h"
#include "server/learner/ope/decision_log.h"

namespace hone {

struct OffPolicyEstimate {
  double value = 0;  // mean reward of a decision
  double low = 0;
  double high = 0;
};

struct OffPolicyResult {
  double direct = 0;
  OffPolicyEstimate ips;
  OffPolicyEstimate snips;
  OffPolicyEstimate doubly_robust;
  OffPolicyEstimate weight;          // mean of the weights, which should be 1, with its interval
  double effective_sample_size = 0;  // of the weights
  double largest_weight = 0;
  std::size_t rows = 0;
};

struct OffPolicySettings {
  std::size_t folds = 5;     // at least 2
  double confidence = 0.95;  // two-sided, between 0.5 and 1
};

// Errors of check(); invalid_argument for fewer than 2 rows a fold, and for a policy that gives
// another count of probabilities or such that do not add up to 1; unsupported if its weights are
// all 0 (the log says nothing about it).
Result<OffPolicyResult> evaluate_off_policy(const DecisionLog& log,
                                            const PolicyProbabilities& policy,
                                            const OffPolicySettings& settings = {});

// The doubly robust estimate of the difference policy - current, row by row: what both do alike
// cancels. Errors likewise.
Result<OffPolicyEstimate> compare_off_policy(const DecisionLog& log,
                                             const PolicyProbabilities& policy,
                                             const PolicyProbabilities& current,
                                             const OffPolicySettings& settings = {});

}  // namespace hone
