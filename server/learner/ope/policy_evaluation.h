// A new policy held against the current one: the estimates, the fresh pairs, and what the gate
// makes of them. What `hone-learner evaluate` tells. Plain values. Thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/json/document.h"
#include "server/learner/ope/off_policy.h"
#include "server/learner/ope/publish_gate.h"

namespace hone {

struct PolicyEvaluation {
  std::string policy;                   // how it was named
  std::string current;                  // likewise; "baseline": the compiler's own
  std::optional<OffPolicyResult> made;  // of the new one; nothing if the log does not have it
  std::optional<OffPolicyResult> current_made;  // of the current one; nothing for the baseline, too
  PublishEvidence evidence;
  PublishDecision decision;
};

// Estimates both on `log` and the difference; without `current` it is the baseline, whose reward is
// 0 by what a reward is. The decision is not made yet: evidence lacks failures and fresh pairs. A
// log that says nothing about one of them (off_policy.h: unsupported) is a reason of the decision
// and no error. Errors of evaluate_off_policy().
Result<PolicyEvaluation> estimate_policy(const DecisionLog& log, const PolicyProbabilities& policy,
                                         const std::optional<PolicyProbabilities>& current,
                                         const OffPolicySettings& settings);

// Puts the gate's decision in its place, unless the estimates have been a reason already.
void decide(PolicyEvaluation& evaluation);

Json to_json(const PolicyEvaluation& evaluation);
// A table for a terminal, the decision last; ends with a newline.
std::string text_of(const PolicyEvaluation& evaluation);

}  // namespace hone
