// Whether a confirmed winner takes the place of the policy in force. Pure functions.
//
// A winner beats the baseline on fresh pairs; where the target has a promoted policy, that is not
// enough: products are built with that one. So it is measured once more against the same baseline,
// on fresh pairs of its own (a candidate that only confirms, kCurrentPolicy), and the winner is
// published only if the difference of the two is surely above 0: neither estimate chose anything,
// they are independent, and the half width of the difference's interval is the root of the sum of
// their squares. Otherwise the winner stays a candidate, with the reason. The gate that policies
// learnt from a log pass (server/learner/ope/publish_gate.h) asks the same of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/protocol/reward_estimate.h"
#include "server/store/campaign_store.h"

namespace hone {

struct SuccessionStep {
  enum class Kind {
    wait,     // the policy in force is being measured
    publish,  // the winner takes its place; `reason` says what was compared
    keep,     // it does not; `reason` says why
  };
  Kind kind = Kind::wait;
  std::string reason;  // for people
};

// new - current. Its pairs are the fewer of the two.
RewardEstimate difference(const RewardEstimate& candidate, const RewardEstimate& current);

// `winner` has a confirmed reward, `current` a confirm job. `finalists`: how many were tested, so
// that the winner's interval is widened as for its confirmation. A policy in force that fails
// today is no rival; one whose job could not be run (dead, cancelled) is one that nobody beat.
SuccessionStep decide_succession(const CandidateView& winner, const CandidateView& current,
                                 std::size_t finalists);

}  // namespace hone
