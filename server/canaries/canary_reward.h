// What a canary taught: its line of the replay buffer. Thread safe.
//
// The reward is that of the first rule's indicator, ln(SLI of the baseline / SLI of the canary)
// over all windows pooled, with a 95 % interval by the circular block bootstrap (a fixed look at
// the end, where the judge's intervals hold at every look). The other indicators' rewards, and
// ln(SLO / SLI) where the service has an objective of latency, stand beside it. A canary that told
// nothing has its outcome and no reward.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/protocol/canary.h"
#include "server/canaries/staged_policy.h"
#include "server/rewards/canary_judge.h"

namespace hone {

// `tried` is its policy, `known_good` the one that it was compared with, if any. `created_at` is
// RFC 3339.
Json experience_line(const CanaryView& canary, const StagedPolicy& tried,
                     const std::optional<StagedPolicy>& known_good, std::span<const double> bounds,
                     std::span<const SliWindow> series, const std::string& created_at);

}  // namespace hone
