#include "build_integration/cli/new_campaign.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/fetch_report.h"
#include "build_integration/cli/first_candidates.h"
#include "build_integration/cli/learner_process.h"
#include "build_integration/cli/warm_start.h"
#include "common/protocol/campaign.h"

namespace hone {
namespace {

// How many candidates of the last campaign are tried again before anything else.
constexpr std::size_t kCarriedOverAtMost = 6;
// Of a time's budget, drawn blindly before the learner goes on.
constexpr std::size_t kBlindOfATime = 24;
// A learner that is silent for so long has died, and the campaign goes on with what it has.
constexpr std::int64_t kProposingSeconds = 600;

// A time budget does not say how many candidates it is good for: so many that it is the time that
// ends the race, at a candidate a second or slower.
std::size_t first_count(const CampaignPlan& plan) {
  const Budget& budget = plan.budget;
  if (is_learning(plan)) {
    return budget.candidates ? blind_share(static_cast<std::size_t>(*budget.candidates))
                             : kBlindOfATime;
  }
  if (budget.candidates) {
    return static_cast<std::size_t>(*budget.candidates);
  }
  return static_cast<std::size_t>(std::clamp<std::int64_t>(budget.seconds.value_or(0), 12, 2000));
}

Result<CampaignView> create_campaign(const Client& client, const TargetSpec& target,
                                     const CampaignPlan& plan) {
  CampaignRequest request;
  request.target = target.name;
  request.budget_candidates = plan.budget.candidates;
  request.budget_seconds = plan.budget.seconds;
  request.seed = plan.seed;
  request.baseline = plan.baseline;
  request.priority = plan.priority;
  request.deadline_seconds = plan.deadline_seconds;
  if (is_learning(plan)) {
    request.proposing_seconds = kProposingSeconds;
  }
  HONE_TRY(const Json answer, client.post("/v1/campaigns", to_json(request), once()));
  return parse_campaign_view(answer);
}

// What the last campaign found, then what is drawn blindly.
Result<CandidateSet> first_set(const TargetSpec& target, const CampaignPlan& plan) {
  const std::size_t count = first_count(plan);
  std::vector<Candidate> carried;
  if (plan.last || !plan.lessons.empty()) {
    carried = carried_over(plan.last.value_or(CampaignReport()),
                           std::min(kCarriedOverAtMost, count), plan.lessons);
  }
  const std::size_t blind = count - carried.size();
  CandidateSet set;
  if (blind > 0) {
    HONE_TRY(set, first_candidates(target, plan.folder, plan.baseline, blind, plan.seed));
  } else {
    set.generator = "hone tune";
    set.seed = plan.seed;
  }
  if (!carried.empty()) {
    set.scheme =
        fmt::format("{} of {}, for certain. {}", carried.size(),
                    plan.last ? "campaign " + plan.last->campaign.id : "canaries", set.scheme);
    set.candidates.insert(set.candidates.begin(), carried.begin(), carried.end());
  }
  for (std::size_t i = 0; i < set.candidates.size(); ++i) {
    set.candidates[i].index = static_cast<std::int64_t>(i);
  }
  return set;
}

Result<void> post_first_set(const Client& client, const CampaignView& campaign,
                            const TargetSpec& target, const CampaignPlan& plan) {
  HONE_TRY(const CandidateSet set, first_set(target, plan));
  RequestOptions patient = once();
  patient.timeout = std::chrono::minutes(2);
  HONE_TRY(const Json answer,
           client.post(fmt::format("/v1/campaigns/{}/candidate-sets", campaign.id), to_json(set),
                       patient));
  static_cast<void>(answer);
  return {};
}

}  // namespace

bool is_learning(const CampaignPlan& plan) {
  if (!plan.learner || !plan.budget.candidates) {
    return plan.learner;
  }
  const auto all = static_cast<std::size_t>(*plan.budget.candidates);
  return blind_share(all) < all;
}

Result<std::optional<CampaignReport>> last_campaign(const Client& client, std::string_view target,
                                                    BaselineKind baseline) {
  constexpr std::size_t kLooked = 20;
  HONE_TRY(
      const std::vector<Json> items,
      list_pages(client, "/v1/campaigns?state=finished&target=" + percent_encode(target), kLooked));
  for (const Json& item : items) {
    HONE_TRY(const CampaignView campaign, parse_campaign_view(item));
    if (campaign.baseline == baseline) {
      HONE_TRY(CampaignReport report, fetch_report(client, campaign.id));
      return std::optional<CampaignReport>(std::move(report));
    }
  }
  return std::optional<CampaignReport>();
}

Result<std::vector<CanaryLesson>> canary_lessons(const Client& client, std::string_view target) {
  const Result<Json> answer =
      client.get("/v1/canaries?experience=1&limit=200&target=" + percent_encode(target));
  if (!answer && (answer.error().code == ErrorCode::not_found ||
                  answer.error().code == ErrorCode::invalid_argument)) {
    return std::vector<CanaryLesson>();
  }
  HONE_CHECK(answer);
  HONE_TRY(const Json items, field_of(*answer, "items"));
  return parse_canary_lessons(items);
}

Result<CampaignView> start_campaign(const Client& client, const TargetSpec& target,
                                    const CampaignPlan& plan) {
  HONE_TRY(const CampaignView campaign, create_campaign(client, target, plan));
  const Result<void> posted = post_first_set(client, campaign, target, plan);
  if (!posted) {
    const Result<CampaignView> ignored = cancel_campaign(client, campaign.id);
    static_cast<void>(ignored);
    return posted.error();
  }
  return campaign;
}

}  // namespace hone
