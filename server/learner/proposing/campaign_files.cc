#include "server/learner/proposing/campaign_files.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/protocol/candidate.h"
#include "common/protocol/job.h"
#include "server/learner/proposing/answer_items.h"
#include "server/learner/proposing/changed_sources.h"

namespace hone {
namespace {

// Of the last campaigns, and of a campaign's jobs, so many are looked at.
constexpr int kLooked = 20;

bool is_named(std::string_view pattern) {
  return pattern.find_first_of("*?") == std::string_view::npos;
}

void add(std::vector<std::string>& files, const std::string& file) {
  if (is_named(file) && std::ranges::find(files, file) == files.end()) {
    files.push_back(file);
  }
}

}  // namespace

RequestOptions CampaignFileChooser::stoppable() const {
  RequestOptions options;
  options.stop = stop_;
  return options;
}

Result<CampaignFiles> CampaignFileChooser::choose(const CampaignView& campaign,
                                                  std::span<const Trial> trials) {
  // Asked each time: the profile comes with one of the first results.
  HONE_TRY(const Json answer,
           client_.get("/v1/targets/" + percent_encode(campaign.target), stoppable()));
  HONE_TRY(const ProposedTarget target, parse_proposed_target(answer));
  tell_hot(target.hot);
  const bool warm =
      std::ranges::any_of(trials, [](const Trial& trial) { return trial.origin == kLastWinner; });
  if (warm && !std::exchange(looked_, true)) {
    HONE_CHECK(look_for_changes(campaign));
  }
  CampaignFiles files;
  files.hot = target.hot;
  std::vector<std::string> found;
  for (const FileShare& hot : target.hot) {
    add(found, hot.source);
  }
  if (target.hot.empty()) {
    for (const std::string& file : target.include) {
      add(found, file);
    }
    for (const Trial& trial : trials) {
      for (const auto& [file, decision] : trial.assignment.files) {
        add(found, file);
      }
    }
  }
  // What did not change has been searched before, and keeps what the last winner does there.
  if (changed_ && std::ranges::any_of(found, [this](const std::string& file) {
        return changed_->contains(file);
      })) {
    std::erase_if(found, [this](const std::string& file) { return !changed_->contains(file); });
  }
  for (const std::string& file : named_) {
    add(files.apart, file);
  }
  for (const std::string& file : found) {
    add(files.apart, file);
  }
  return files;
}

void CampaignFileChooser::tell_hot(const std::vector<FileShare>& hot) {
  if (hot.empty() || std::exchange(told_, true)) {
    return;
  }
  std::string text;
  for (const FileShare& file : hot) {
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", file.source, 100 * file.share);
  }
  say_("where the time goes: " + text);
}

Result<void> CampaignFileChooser::look_for_changes(const CampaignView& campaign) {
  HONE_TRY(const std::optional<std::string> before, campaign_before(campaign));
  if (!before) {
    return {};
  }
  HONE_TRY(changed_, changed(*before, campaign.id));
  if (!changed_) {
    return {};
  }
  std::string text;
  for (const std::string& source : *changed_) {
    text += (text.empty() ? "" : ", ") + source;
  }
  constexpr std::size_t kShown = 400;
  say_(text.empty() ? "no source changed since campaign " + *before
                    : "changed since campaign " + *before + ": " + text.substr(0, kShown));
  return {};
}

Result<std::optional<std::string>> CampaignFileChooser::campaign_before(
    const CampaignView& campaign) {
  HONE_TRY(const Json answer,
           client_.get(fmt::format("/v1/campaigns?state=finished&target={}&limit={}",
                                   percent_encode(campaign.target), kLooked),
                       stoppable()));
  HONE_TRY(const Json campaigns, items_of(answer, "campaigns"));
  for (const Json& item : campaigns) {
    HONE_TRY(const CampaignView earlier, parse_campaign_view(item));
    if (earlier.baseline == campaign.baseline && earlier.id != campaign.id) {
      return std::optional<std::string>(earlier.id);
    }
  }
  return std::optional<std::string>();
}

Result<std::optional<std::set<std::string>>> CampaignFileChooser::changed(const std::string& before,
                                                                          const std::string& now) {
  const auto states = [this](const std::string& campaign) -> Result<SourceStates> {
    HONE_TRY(const Json answer, client_.get(fmt::format("/v1/jobs?state=done&campaign={}&limit={}",
                                                        percent_encode(campaign), kLooked),
                                            stoppable()));
    HONE_TRY(const Json jobs, items_of(answer, "jobs"));
    for (const Json& item : jobs) {
      HONE_TRY(const JobView listed, parse_job_view(item));
      HONE_TRY(const Json whole, client_.get("/v1/jobs/" + percent_encode(listed.id), stoppable()));
      HONE_TRY(const JobView job, parse_job_view(whole));
      if (job.result && !job.result->decisions.empty()) {
        return source_states(job.result->decisions);
      }
    }
    return SourceStates();
  };
  HONE_TRY(const SourceStates earlier, states(before));
  HONE_TRY(const SourceStates current, states(now));
  if (earlier.empty() || current.empty()) {
    return std::optional<std::set<std::string>>();
  }
  return std::optional(changed_sources(current, earlier));
}

}  // namespace hone
