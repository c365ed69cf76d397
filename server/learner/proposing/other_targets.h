// What was tried on other targets of this coordinator, by the same metric and against the same
// baseline: what a part does to one product says something of the next (effect_model.h).
#pragma once

#include <stop_token>
#include <vector>

#include "common/client/client.h"
#include "common/protocol/campaign.h"
#include "server/learner/proposing/effect_model.h"

namespace hone {

// Of the latest campaigns that have ended, at most so many, and no more than kMaxOtherTrials trials
// (fitting takes the cube of them).
inline constexpr std::size_t kMaxOtherTargets = 16;
inline constexpr std::size_t kMaxOtherTrials = 800;

// The latest of each target. Errors are the client's. Blocks.
Result<std::vector<TargetTrials>> other_targets(const Client& client, const CampaignView& campaign,
                                                const std::stop_token& stop);

}  // namespace hone
