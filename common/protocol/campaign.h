// A campaign: a budgeted search over one target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/json/object_reader.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/values.h"

namespace hone {

// Request body of POST /v1/campaigns. The budget has candidates, seconds, or both (whichever ends
// first); with seconds, confirmation of the best starts when they are over.
struct CampaignRequest {
  std::string target;
  std::optional<std::int64_t> budget_candidates;  // 1..10000
  std::optional<std::int64_t> budget_seconds;     // 10..604800
  std::uint64_t seed = 1;
  BaselineKind baseline = BaselineKind::o3;
  std::int64_t priority = 0;  // -100..100, higher first
  // 10..86400: it takes further candidate sets, as far as its budget allows, until its proposer
  // closes it or is silent for so long while nothing is left to be raced. Absent: it goes on by
  // itself when nothing is left to be raced.
  std::optional<std::int64_t> proposing_seconds = std::nullopt;
  // 1..31536000 from its creation on; past that its jobs are ended as jobs are by deadlines of
  // their own, and it ends. Absent: what the target's description says, if that does.
  std::optional<std::int64_t> deadline_seconds = std::nullopt;
};
Result<CampaignRequest> parse_campaign_request(const Json& document);
Json to_json(const CampaignRequest& request);

// What the API shows of a campaign.
struct CampaignView {
  std::string id;
  std::string target;
  CampaignState state = CampaignState::waiting;
  std::string reason;  // why it failed, was cancelled or ended early
  BaselineKind baseline = BaselineKind::o3;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> budget_candidates;
  std::optional<std::int64_t> budget_seconds;
  std::optional<std::int64_t> proposing_seconds;
  bool closed = false;          // takes no more candidate sets because somebody said so
  std::int64_t candidates = 0;  // proposed
  std::int64_t finished = 0;    // race jobs with a counted result, or whose attempts were used up
  std::int64_t failed = 0;      // of those, without an outcome ok
  std::int64_t late = 0;        // race jobs that its deadline ended before they were measured
  std::int64_t unfinished = 0;  // race jobs queued or leased
  std::string best_candidate;   // id, by race reward, empty if none
  std::optional<RewardEstimate> best_race;
  std::string winner_candidate;  // id, set only after a confirmed gain
  std::optional<RewardEstimate> confirmed;
  std::optional<std::int64_t> policy_version;  // of the policy published for the winner
  std::string deadline;                        // RFC 3339; empty: none
  std::string created_at;                      // RFC 3339
  std::string finished_at;                     // empty until finished
};
Json to_json(const CampaignView& view);
Result<CampaignView> parse_campaign_view(const Json& document);

}  // namespace hone
