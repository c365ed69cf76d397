#include "server/learner/ope/publish_gate.h"

#include <fmt/format.h>

namespace hone {

PublishDecision decide_publication(const PublishEvidence& evidence) {
  const OffPolicyEstimate& staging = evidence.difference;
  // Written so that a bound that is no number is not above 0.
  if (!(evidence.effective_sample_size >= kLeastEffectiveSample)) {
    return {false, fmt::format("the log is worth {:.1f} decisions of this policy, fewer than {}",
                               evidence.effective_sample_size, kLeastEffectiveSample)};
  }
  if (!(staging.low > 0)) {
    return {false, fmt::format("on staging data it gains {:+.4f} [{:+.4f}, {:+.4f}] over the "
                               "current policy: not surely more",
                               staging.value, staging.low, staging.high)};
  }
  if (!evidence.fresh) {
    return {false, "not measured on fresh pairs yet"};
  }
  if (!(evidence.fresh->low > 0)) {
    return {false, fmt::format("on fresh pairs it gains {:+.4f} [{:+.4f}, {:+.4f}]: what the log "
                               "promised did not hold",
                               evidence.fresh->value, evidence.fresh->low, evidence.fresh->high)};
  }
  return {true,
          fmt::format("gains {:+.4f} [{:+.4f}, {:+.4f}] on staging data and {:+.4f} [{:+.4f}, "
                      "{:+.4f}] on fresh pairs",
                      staging.value, staging.low, staging.high, evidence.fresh->value,
                      evidence.fresh->low, evidence.fresh->high)};
}

}  // namespace hone
