// Whether a new policy may take the place of the current one.
//
// Two things must hold: the lower bound of the difference on staging data is above 0, from
// decisions enough to say so, and the winner was measured again on fresh pairs with a lower bound
// above 0. The first alone publishes what was lucky: of many policies that are looked at on one
// log, the best one looks better than it is. Otherwise the policy stays a candidate, with the
// reason. Thread safe.
#pragma once

#include <optional>
#include <string>

#include "server/learner/ope/off_policy.h"

namespace hone {

// Below this, the weights are those of a few decisions and the interval means little.
inline constexpr double kLeastEffectiveSample = 30;

struct PublishEvidence {
  OffPolicyEstimate difference;      // new - current, from compare_off_policy()
  double effective_sample_size = 0;  // of the new policy
  // The new policy against the current one on pairs that chose neither; nothing: not measured yet.
  std::optional<OffPolicyEstimate> fresh;
};

struct PublishDecision {
  bool publish = false;
  std::string reason;  // for people, also where it is published
};

PublishDecision decide_publication(const PublishEvidence& evidence);

}  // namespace hone
