#include "server/store/pg/campaign_lock.h"

#include "server/store/pg/records.h"

namespace hone {
namespace {

const PgStatement kLock{"campaign_lock", R"sql(
SELECT c.number, c.target, t.name AS target_name, c.state, c.priority, c.budget_candidates,
       c.closed_at IS NOT NULL AS closed,
       CASE WHEN c.deadline <= now() THEN rfc3339(c.deadline) END AS late
FROM campaigns c JOIN targets t ON t.number = c.target
WHERE c.id = $1::uuid FOR NO KEY UPDATE OF c)sql",
                        Repeat::unsafe};

// One statement for both states: a job that moves between them meanwhile is looked at again as it
// then is.
const PgStatement kCancelJobs{"campaign_cancel_jobs", R"sql(
UPDATE jobs
SET state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END,
    reason = CASE state WHEN 'queued' THEN $3 ELSE reason END,
    finished_at = CASE state WHEN 'queued' THEN now() END,
    cancel_requested_at = CASE state WHEN 'leased' THEN coalesce(cancel_requested_at, now()) END
WHERE campaign = $1 AND state IN ('queued', 'leased') AND ($2::boolean OR stage = 'race'))sql",
                              Repeat::unsafe, Planning::each_time};

}  // namespace

Async<LockedCampaign> lock_campaign(PgTransaction& transaction, std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("campaign", id);
  }
  PgParams params;
  params.text(id);
  HONE_CO_TRY(const PgResult locked, co_await transaction.execute(kLock, std::move(params)));
  if (locked.empty()) {
    co_return no_such("campaign", id);
  }
  const PgRow row = locked.first();
  LockedCampaign campaign;
  campaign.number = row.integer("number");
  campaign.id = id;
  campaign.target = row.integer("target");
  campaign.target_name = row.text("target_name");
  campaign.state = row.one_of("state", parse_campaign_state);
  campaign.priority = row.integer("priority");
  campaign.budget_candidates = row.optional_integer("budget_candidates");
  campaign.closed = row.truth("closed");
  campaign.late = row.text_or_empty("late");
  co_return campaign;
}

Result<void> require_state(const LockedCampaign& campaign,
                           std::initializer_list<CampaignState> states, std::string_view what) {
  for (const CampaignState state : states) {
    if (campaign.state == state) {
      return {};
    }
  }
  return fail(ErrorCode::conflict, "campaign '" + campaign.id + "' is " +
                                       std::string(to_string(campaign.state)) + ", so " +
                                       std::string(what));
}

Result<void> require_in_time(const LockedCampaign& campaign, std::string_view what) {
  if (campaign.late.empty()) {
    return {};
  }
  return fail(ErrorCode::conflict, "campaign '" + campaign.id + "' had to be done by " +
                                       campaign.late + ", so " + std::string(what));
}

Async<void> cancel_jobs(PgTransaction& transaction, std::int64_t campaign, WhichJobs which,
                        std::string reason) {
  PgParams params;
  params.integer(campaign).truth(which == WhichJobs::all).text(reason);
  HONE_CO_CHECK(co_await transaction.execute(kCancelJobs, std::move(params)));
  co_return Result<void>();
}

}  // namespace hone
