#include "build_integration/cli/idle_workers.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/printable.h"

namespace hone {

std::vector<std::string> waiting_reasons(const std::vector<WorkerView>& workers,
                                         const std::string& target) {
  std::vector<std::string> reasons;
  if (std::ranges::none_of(workers, takes_jobs)) {
    const auto drained = std::ranges::count_if(workers, [](const WorkerView& worker) {
      return worker.left_at.empty() && !worker.silent && !worker.drained_at.empty();
    });
    reasons.push_back(drained == 0
                          ? std::string("no worker is connected: nothing is measured until one is")
                          : fmt::format("of the connected workers none takes jobs ({} drained): "
                                        "nothing is measured until one does",
                                        drained));
  }
  for (const WorkerView& worker : workers) {
    for (const WorkerCheck& check : worker.checks) {
      if (check.target == target && !check.unfit_reason.empty()) {
        reasons.push_back(fmt::format("worker {} gets no job of {} for an hour from {} on: {}",
                                      worker.name, target, check.checked_at,
                                      printable(check.unfit_reason)));
      }
    }
  }
  return reasons;
}

bool IdleWatch::is_time(const CampaignView& campaign, Clock::time_point now) {
  if (campaign.finished != finished_) {
    finished_ = campaign.finished;
    since_ = now;
    return false;
  }
  if (now - since_ < kPatience) {
    return false;
  }
  since_ = now;
  return true;
}

std::vector<std::string> IdleWatch::news(std::vector<std::string> reasons) {
  std::erase_if(reasons,
                [this](const std::string& reason) { return !said_.insert(reason).second; });
  return reasons;
}

}  // namespace hone
