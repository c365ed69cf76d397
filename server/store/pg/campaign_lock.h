// A campaign that is locked until the transaction ends: who may take its next step.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "common/protocol/values.h"
#include "server/store/pg/pg_transaction.h"

namespace hone {

struct LockedCampaign {
  std::int64_t number = 0;
  std::string id;
  std::int64_t target = 0;
  std::string target_name;
  CampaignState state = CampaignState::waiting;
  std::int64_t priority = 0;
  std::optional<std::int64_t> budget_candidates;
  bool closed = false;
  std::string late;  // its deadline, RFC 3339, once that has passed; else empty
};

// not_found. The lock leaves alone what merely refers to the campaign (jobs, events), so that it is
// never waited for by a worker's completion.
Async<LockedCampaign> lock_campaign(PgTransaction& transaction, std::string id);

// conflict unless the campaign is in one of the states: "campaign '...' is <state>, so <what>".
Result<void> require_state(const LockedCampaign& campaign,
                           std::initializer_list<CampaignState> states, std::string_view what);
// conflict if its deadline has passed: "campaign '...' had to be done by <deadline>, so <what>".
Result<void> require_in_time(const LockedCampaign& campaign, std::string_view what);

// Cancels those of its jobs that are not done (only race jobs if so asked): queued ones at once,
// leased ones by their worker's next heartbeat.
enum class WhichJobs { race, all };
Async<void> cancel_jobs(PgTransaction& transaction, std::int64_t campaign, WhichJobs which,
                        std::string reason);

}  // namespace hone
