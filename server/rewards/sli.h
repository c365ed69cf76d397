// The service level indicators a canary is judged by, and how one is computed of pooled windows.
//
// Each is a cost: lower is better, above 0 where it can be told. Thread safe.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "server/rewards/sli_window.h"

namespace hone {

enum class Sli {
  latency_p50,      // seconds
  latency_p95,      // seconds
  latency_p99,      // seconds
  latency_spread,   // ln(p95 / p5): grows when only the variance does
  failure_share,    // requests that failed, a share of all; compared by the shares that did not
  cpu_per_request,  // seconds of processor time
};

inline constexpr Sli kSlis[] = {Sli::latency_p50,    Sli::latency_p95,   Sli::latency_p99,
                                Sli::latency_spread, Sli::failure_share, Sli::cpu_per_request};

// "latency_p50" and so on, as on the wire.
std::string_view to_string(Sli sli);
std::optional<Sli> sli_from_string(std::string_view text);

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
