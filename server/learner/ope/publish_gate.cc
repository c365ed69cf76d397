#include "server/learner/ope/publish_gate.h"

#include <utility>

#include <fmt/format.h>

namespace hone {

namespace {

// Written so that what is no number does not fit.
bool fits(const OffPolicyEstimate& weight) {
  return weight.value + kMostWeightOff * (weight.high - weight.value) >= 1 &&
         weight.value - kMostWeightOff * (weight.value - weight.low) <= 1;
}

}  // namespace

PublishDecision decide_publication(const PublishEvidence& evidence) {
  const OffPolicyEstimate& staging = evidence.difference;
  if (evidence.failures > 0) {
    return {false, fmt::format("its decisions failed {} times, first {}", evidence.failures,
                               evidence.first_failure)};
  }
  // Written so that a bound that is no number is not above 0.
  if (!(evidence.effective_sample_size >= kLeastEffectiveSample)) {
    return {false, fmt::format("the log is worth {:.1f} decisions of this policy, fewer than {}",
                               evidence.effective_sample_size, kLeastEffectiveSample)};
  }
  for (const auto& [whose, weight] : {std::pair("its", evidence.weight),
                                      std::pair("the current policy's", evidence.current_weight)}) {
    if (!fits(weight)) {
      return {false,
              fmt::format("{} decisions have a mean weight of {:.3f} [{:.3f}, {:.3f}] in the "
                          "log, not 1: they were not among the choices of every row, or the "
                          "propensities are wrong",
                          whose, weight.value, weight.low, weight.high)};
    }
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
