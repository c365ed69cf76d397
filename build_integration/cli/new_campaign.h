// How `hone tune` starts a campaign: what it begins with, and whether a learner goes on. Thread
// safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "build_integration/cli/budget.h"
#include "build_integration/cli/report.h"
#include "common/base/result.h"
#include "common/client/client.h"
#include "common/protocol/canary_lesson.h"
#include "common/protocol/target_spec.h"

namespace hone {

struct CampaignPlan {
  std::filesystem::path folder;  // of the product, empty if it is not here
  Budget budget;
  std::uint64_t seed = 1;
  BaselineKind baseline = BaselineKind::o3;
  std::int64_t priority = 0;
  std::optional<std::int64_t> deadline_seconds;  // from its creation on
  bool learner = true;                 // hone-learner may propose what follows the first set
  std::optional<CampaignReport> last;  // whose winner is measured first
  std::vector<CanaryLesson> lessons;   // of the target's canaries, newest first: before it
};

// Whether sets follow the first one: not where that has all of the budget.
bool is_learning(const CampaignPlan& plan);

// The newest campaign of the target that came to its end against the same baseline; nothing if
// there is none.
Result<std::optional<CampaignReport>> last_campaign(const Client& client, std::string_view target,
                                                    BaselineKind baseline);

// What the target's newest canaries taught; nothing where honed is too old to say.
Result<std::vector<CanaryLesson>> canary_lessons(const Client& client, std::string_view target);

// Makes the campaign and posts its first set: what the last one found, then what is drawn blindly.
// A campaign without candidates would wait for ever: it is cancelled when they cannot be posted.
Result<CampaignView> start_campaign(const Client& client, const TargetSpec& target,
                                    const CampaignPlan& plan);

}  // namespace hone
