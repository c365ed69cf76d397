// Whether a new policy may take the place of the current one.
//
// Two things must hold: the lower bound of the difference on staging data is above 0, from
// decisions enough to say so, and the winner was measured again on fresh pairs with a lower bound
// above 0. The first alone publishes what was lucky: of many policies that are looked at on one
// log, the best one looks better than it is. Nor may a decision of it have failed, and the weights
// must have a mean that is 1 within their error (off_policy.h). Otherwise the policy stays a
// candidate, with the reason. Thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "server/learner/ope/off_policy.h"

namespace hone {

// Below this, the weights are those of a few decisions and the interval means little.
inline constexpr double kLeastEffectiveSample = 30;

// How many half widths of its interval the mean of the weights may be off 1: what is refused by it
// is a log that does not fit the policy, not chance.
inline constexpr double kMostWeightOff = 2;

struct PublishEvidence {
  OffPolicyEstimate difference;               // new - current, from compare_off_policy()
  double effective_sample_size = 0;           // of the new policy
  OffPolicyEstimate weight{1, 1, 1};          // mean of the new policy's
  OffPolicyEstimate current_weight{1, 1, 1};  // and of the current one's
  std::size_t failures = 0;   // of decisions that are the new policy's, its own fault
  std::string first_failure;  // "miscompiled: output differs"
  // The new policy against the current one on pairs that chose neither; nothing: not measured yet.
  std::optional<OffPolicyEstimate> fresh;
};

struct PublishDecision {
  bool publish = false;
  std::string reason;  // for people, also where it is published
};

PublishDecision decide_publication(const PublishEvidence& evidence);

}  // namespace hone
