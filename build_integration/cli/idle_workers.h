// Why a campaign that does not get on may have to wait: no worker takes jobs, or some are out of
// rotation for its target. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/protocol/campaign.h"
#include "common/protocol/worker.h"

namespace hone {

// A line if no worker takes jobs, and one for each that gets no job of this target, as long as that
// lasts.
std::vector<std::string> waiting_reasons(const std::vector<WorkerView>& workers,
                                         const std::string& target);

class IdleWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // Whether it is time to ask for the workers: nothing has changed for kPatience, nor was asked.
  bool is_time(const CampaignView& campaign, Clock::time_point now);
  // Those of the reasons that were not said yet.
  std::vector<std::string> news(std::vector<std::string> reasons);

 private:
  static constexpr std::chrono::seconds kPatience{20};
  std::int64_t finished_ = -1;
  Clock::time_point since_;
  std::set<std::string> said_;
};

}  // namespace hone
