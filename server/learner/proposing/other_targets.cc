#include "server/learner/proposing/other_targets.h"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "server/learner/proposing/answer_items.h"
#include "server/learner/proposing/proposed_target.h"

namespace hone {
namespace {

constexpr const char* kLatest = "/v1/campaigns?state=finished&limit=200";

}  // namespace

Result<std::vector<TargetTrials>> other_targets(const Client& client, const CampaignView& campaign,
                                                const std::stop_token& stop) {
  RequestOptions options;
  options.stop = stop;
  const auto target_of = [&](const std::string& name) -> Result<ProposedTarget> {
    HONE_TRY(const Json answer, client.get("/v1/targets/" + percent_encode(name), options));
    return parse_proposed_target(answer);
  };
  HONE_TRY(const ProposedTarget own, target_of(campaign.target));
  HONE_TRY(const Json answer, client.get(kLatest, options));
  std::vector<TargetTrials> others;
  std::set<std::string> seen = {campaign.target};
  std::size_t trials = 0;
  HONE_TRY(const Json campaigns, items_of(answer, "campaigns"));
  for (const Json& item : campaigns) {
    HONE_TRY(const CampaignView earlier, parse_campaign_view(item));
    if (earlier.baseline != campaign.baseline || !seen.insert(earlier.target).second) {
      continue;
    }
    HONE_TRY(ProposedTarget target, target_of(earlier.target));
    if (target.metric != own.metric) {
      continue;
    }
    HONE_TRY(const Json tried,
             client.get("/v1/campaigns/" + percent_encode(earlier.id) + "/candidates", options));
    HONE_TRY(const Json candidates, items_of(tried, "candidates"));
    TargetTrials other;
    other.target = earlier.target;
    other.hot = std::move(target.hot);
    HONE_TRY(other.trials, trials_from_json(candidates));
    std::erase_if(other.trials, [](const Trial& trial) { return !trial.reward; });
    other.trials.resize(std::min(other.trials.size(), kMaxOtherTrials - trials));
    if (other.trials.empty()) {
      continue;
    }
    trials += other.trials.size();
    others.push_back(std::move(other));
    if (others.size() == kMaxOtherTargets || trials == kMaxOtherTrials) {
      break;
    }
  }
  return others;
}

}  // namespace hone
