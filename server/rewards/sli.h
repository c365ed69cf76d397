// How a service level indicator is computed of pooled windows, and the rewards that are made of it.
// Thread safe.
#pragma once

#include <span>

#include "common/protocol/service_spec.h"
#include "server/rewards/sli_window.h"

namespace hone {

// The indicator of one group's pooled window; NaN where it cannot be told (no requests).
double sli_value(Sli sli, std::span<const double> bounds, const GroupWindow& pooled);

// The relative reward: ln(SLI of the baseline / SLI of the canary), so that 0.05 is some 5 %
// better. Of latency_spread, which is a logarithm, the difference; of failure_share ln of the ratio
// of the shares that did not fail, canary over baseline, which no group without failures makes
// infinite. NaN where one of them cannot be told.
double relative_reward(Sli sli, double baseline, double canary);

// The reward against a service level objective: ln(SLO / SLI); negative where it is missed. Of
// failure_share ln of the ratio of what does not fail and what may not fail at least. NaN for
// latency_spread, which has no objective.
double slo_reward(Sli sli, double objective, double value);

// The requests of the canary, at least, before the indicator can be told at all: some 20 must lie
// above a quantile for its neighbourhood to be known.
double least_requests(Sli sli);

}  // namespace hone
