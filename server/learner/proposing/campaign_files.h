// Which files of a campaign's product are treated apart: the hot ones, where a profile is known,
// and of them those that changed since the last campaign, where this one began with its winner.
// Asks honed. Not thread safe; blocks.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/client/client.h"
#include "common/protocol/campaign.h"
#include "server/learner/proposing/proposed_target.h"
#include "server/learner/proposing/trial.h"

namespace hone {

struct CampaignFiles {
  std::vector<std::string> apart;  // names, the hottest first; may be empty
  std::vector<FileShare> hot;      // where the time goes, if that is known
};

class CampaignFileChooser {
 public:
  // `named` files are always among them, first. All must outlive it.
  CampaignFileChooser(const Client& client, const std::vector<std::string>& named,
                      std::stop_token stop, const std::function<void(std::string_view)>& say)
      : client_(client), named_(named), stop_(std::move(stop)), say_(say) {}

  // Errors are the client's. What honed does not know of an earlier campaign is no error: then
  // nothing is left out.
  Result<CampaignFiles> choose(const CampaignView& campaign, std::span<const Trial> trials);

 private:
  Result<void> look_for_changes(const CampaignView& campaign);
  Result<std::optional<std::string>> campaign_before(const CampaignView& campaign);
  // By a build of each campaign; nothing if one of them has none whose objects are known.
  Result<std::optional<std::set<std::string>>> changed(const std::string& before,
                                                       const std::string& now);
  void tell_hot(const std::vector<FileShare>& hot);
  RequestOptions stoppable() const;

  const Client& client_;
  const std::vector<std::string>& named_;
  std::stop_token stop_;
  const std::function<void(std::string_view)>& say_;
  bool told_ = false;  // where the time goes
  bool looked_ = false;
  std::optional<std::set<std::string>> changed_;  // since the last campaign, if that is known
};

}  // namespace hone
