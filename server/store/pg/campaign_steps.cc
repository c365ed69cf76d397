// CampaignStore: the controller's steps. Each locks the campaign, checks the state it starts from,
// and moves on in the same transaction.

#include "server/store/campaign_store.h"
#include "server/store/pg/campaign_lock.h"
#include "server/store/pg/campaign_records.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/policy_publish.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

// The campaigns that can go on, of those that the SQL condition `which` names: asked of all, and
// again of one when it is locked, since what was true before the lock may not be so any more.
std::string due_among(const std::string& which) {
  return R"sql(
SELECT c.id, t.name AS target, c.state, c.baseline, c.proposing_seconds, late.time_is_up,
       its.unfinished, CASE WHEN late.is_late THEN rfc3339(c.deadline) END AS late
FROM campaigns c
JOIN targets t ON t.number = c.target
CROSS JOIN LATERAL (
  SELECT c.state = 'racing' AND c.budget_seconds IS NOT NULL
         AND now() >= c.racing_at + c.budget_seconds * interval '1 second' AS time_is_up,
         coalesce(c.deadline <= now(), false) AS is_late) AS late
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE j.state IN ('queued', 'leased')) AS unfinished,
         max(j.finished_at) AS last_end
  FROM jobs j WHERE j.campaign = c.number) AS its
-- A set that comes has its jobs in the same transaction, so that the last end of one is the time
-- since when the proposer is waited for: for a set, or to name the finalists and close. For its
-- first set it is waited for since the campaign was made, and without a limit for ever.
CROSS JOIN LATERAL (
  SELECT c.state IN ('waiting', 'racing') AND c.closed_at IS NULL
         AND coalesce(now() < coalesce(its.last_end, c.racing_at, c.created_at)
                              + c.proposing_seconds * interval '1 second',
                      c.state = 'waiting') AS is_waited_for) AS proposer
WHERE ()sql" +
         which + R"sql()
  AND ((late.time_is_up AND NOT late.is_late)  -- late, it waits for the jobs that are told to stop
       OR (its.unfinished = 0 AND (late.is_late OR NOT proposer.is_waited_for))))sql";
}

// An index for each line.
const PgStatement kDue{"campaign_due",
                       due_among(R"sql(
  c.state IN ('racing', 'confirming')
  OR (c.state = 'waiting' AND c.deadline IS NOT NULL)
  OR (c.state = 'waiting' AND c.proposing_seconds IS NOT NULL))sql") +
                           " ORDER BY c.number",
                       Repeat::safe, Planning::each_time};
const PgStatement kIsDue{"campaign_is_due", due_among("c.number = $1"), Repeat::safe,
                         Planning::each_time};

const PgStatement kCountUnfinished{"campaign_count_unfinished", R"sql(
SELECT count(*) AS count FROM jobs WHERE campaign = $1 AND state IN ('queued', 'leased'))sql",
                                   Repeat::safe};

const PgStatement kBeginConfirming{"campaign_begin_confirming", R"sql(
UPDATE campaigns SET state = 'confirming', confirming_at = now() WHERE number = $1)sql",
                                   Repeat::unsafe};

const PgStatement kFindCandidate{
    "campaign_find_candidate",
    "SELECT number FROM candidates WHERE id = $1::uuid AND campaign = $2", Repeat::safe};

const PgStatement kAddConfirm{"campaign_add_confirm", R"sql(
INSERT INTO jobs (target, target_version, campaign, candidate, stage, baseline, priority,
                  max_attempts, deadline)
SELECT target, target_version, number, $2, 'confirm', baseline, priority, 3, deadline
FROM campaigns WHERE number = $1
ON CONFLICT (candidate, stage) WHERE candidate IS NOT NULL DO NOTHING)sql",
                              Repeat::unsafe};

const PgStatement kFindConfirm{"campaign_find_confirm",
                               "SELECT id FROM jobs WHERE candidate = $1 AND stage = 'confirm'",
                               Repeat::safe};

const PgStatement kIsConfirmed{"campaign_is_confirmed", R"sql(
SELECT j.candidate FROM jobs j JOIN results r ON r.job = j.number
WHERE j.candidate = $1 AND j.stage = 'confirm' AND r.reward IS NOT NULL)sql",
                               Repeat::safe};

const PgStatement kWin{"campaign_win", R"sql(
UPDATE campaigns SET state = 'finished', finished_at = now(), winner = $2, policy_version = $3
WHERE number = $1)sql",
                       Repeat::unsafe};

const PgStatement kEnd{"campaign_end", R"sql(
UPDATE campaigns SET state = $2, finished_at = now(), reason = $3 WHERE number = $1)sql",
                       Repeat::unsafe};

Async<std::int64_t> candidate_number(PgTransaction& transaction, const LockedCampaign& campaign,
                                     std::string candidate) {
  if (is_uuid(candidate)) {
    PgParams wanted;
    wanted.text(candidate).integer(campaign.number);
    HONE_CO_TRY(const PgResult found,
                co_await transaction.execute(kFindCandidate, std::move(wanted)));
    if (!found.empty()) {
      co_return found.first().integer("number");
    }
  }
  co_return no_such("candidate", candidate).within("campaign '" + campaign.id + "'");
}

// What due() says of a locked campaign. conflict if it does not wait for the controller any more: a
// candidate set came meanwhile, or a job was queued again. "campaign '...' is not due, so <what>"
struct StillDue {
  std::int64_t unfinished = 0;  // jobs
  std::optional<std::int64_t> proposing_seconds;
};
Async<StillDue> require_due(PgTransaction& transaction, const LockedCampaign& campaign,
                            std::string_view what) {
  PgParams number;
  number.integer(campaign.number);
  HONE_CO_TRY(const PgResult due, co_await transaction.execute(kIsDue, std::move(number)));
  if (due.empty()) {
    co_return fail(ErrorCode::conflict,
                   "campaign '" + campaign.id + "' is not due, so " + std::string(what));
  }
  StillDue still;
  still.unfinished = due.first().integer("unfinished");
  still.proposing_seconds = due.first().optional_integer("proposing_seconds");
  co_return still;
}

// Who ends a campaign decided so when nothing of it was under way: a job that was queued again
// since (job_changes.cc) was promised to be run.
Async<void> require_all_over(PgTransaction& transaction, const LockedCampaign& campaign,
                             std::string_view what) {
  PgParams number;
  number.integer(campaign.number);
  HONE_CO_TRY(const PgResult jobs,
              co_await transaction.execute(kCountUnfinished, std::move(number)));
  const std::int64_t unfinished = jobs.first().integer("count");
  if (unfinished > 0) {
    co_return fail(ErrorCode::conflict, "campaign '" + campaign.id + "' has " +
                                            std::to_string(unfinished) + " unfinished jobs, so " +
                                            std::string(what));
  }
  co_return Result<void>();
}

Async<RaceEnd> begin_confirming_in(PgTransaction& transaction, const std::string& id) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  const std::string_view what = "its race cannot end";
  HONE_CO_CHECK(require_state(campaign, {CampaignState::racing}, what));
  HONE_CO_TRY(const StillDue due, co_await require_due(transaction, campaign, what));
  HONE_CO_CHECK(co_await cancel_jobs(transaction, campaign.number, WhichJobs::race,
                                     "the campaign's race was over"));
  PgParams number;
  number.integer(campaign.number);
  HONE_CO_CHECK(co_await transaction.execute(kBeginConfirming, std::move(number)));
  co_return due.unfinished == 0 ? RaceEnd::measured : RaceEnd::stopping;
}

Async<void> stop_waiting_in(PgTransaction& transaction, const std::string& id) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  const std::string_view what = "its proposer is not given up";
  HONE_CO_CHECK(require_state(campaign, {CampaignState::waiting}, what));
  HONE_CO_TRY(const StillDue due, co_await require_due(transaction, campaign, what));
  PgParams end;
  end.integer(campaign.number).text(to_string(CampaignState::failed));
  end.text("its proposer sent no candidate set within " +
           std::to_string(due.proposing_seconds.value_or(0)) + " s");
  HONE_CO_CHECK(co_await transaction.execute(kEnd, std::move(end)));
  co_return Result<void>();
}

Async<std::string> submit_confirm_in(PgTransaction& transaction, const std::string& id,
                                     const std::string& candidate) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  HONE_CO_CHECK(require_state(campaign, {CampaignState::confirming}, "nothing is to be confirmed"));
  HONE_CO_CHECK(require_in_time(campaign, "nothing is confirmed any more"));
  HONE_CO_TRY(const std::int64_t number,
              co_await candidate_number(transaction, campaign, candidate));
  PgParams both;
  both.integer(campaign.number).integer(number);
  HONE_CO_CHECK(co_await transaction.execute(kAddConfirm, std::move(both)));
  PgParams wanted;
  wanted.integer(number);
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFindConfirm, std::move(wanted)));
  co_return found.first().text("id");
}

Async<void> win_in(PgTransaction& transaction, const std::string& id, const std::string& candidate,
                   const NewPolicy& policy) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  const std::string_view what = "it cannot have a winner";
  HONE_CO_CHECK(require_state(campaign, {CampaignState::confirming}, what));
  HONE_CO_CHECK(co_await require_all_over(transaction, campaign, what));
  HONE_CO_TRY(const std::int64_t number,
              co_await candidate_number(transaction, campaign, candidate));
  PgParams wanted;
  wanted.integer(number);
  HONE_CO_TRY(const PgResult confirmed,
              co_await transaction.execute(kIsConfirmed, std::move(wanted)));
  if (confirmed.empty()) {
    co_return fail(ErrorCode::conflict,
                   "candidate '" + candidate + "' has no confirmed reward, so it cannot win");
  }
  NewPolicy published = policy;
  published.target = campaign.target_name;
  published.campaign = id;
  published.candidate = candidate;
  HONE_CO_TRY(const PolicyVersion version, co_await publish_in(transaction, std::move(published)));
  PgParams end;
  end.integer(campaign.number).integer(number).integer(version.version);
  HONE_CO_CHECK(co_await transaction.execute(kWin, std::move(end)));
  const Result<void> logged = co_await log_publication_in(transaction, version);
  co_return logged;
}

Async<void> end_in(PgTransaction& transaction, const std::string& id, CampaignState state,
                   const std::string& reason) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  if (state == CampaignState::finished) {
    const std::string_view what = "it cannot finish";
    HONE_CO_CHECK(
        require_state(campaign, {CampaignState::racing, CampaignState::confirming}, what));
    HONE_CO_CHECK(co_await require_all_over(transaction, campaign, what));
  } else {
    HONE_CO_CHECK(require_state(
        campaign, {CampaignState::waiting, CampaignState::racing, CampaignState::confirming},
        "it cannot fail"));
  }
  HONE_CO_CHECK(co_await cancel_jobs(transaction, campaign.number, WhichJobs::all,
                                     "the campaign ended: " + reason));
  PgParams end;
  end.integer(campaign.number).text(to_string(state)).text(reason);
  HONE_CO_CHECK(co_await transaction.execute(kEnd, std::move(end)));
  co_return Result<void>();
}

}  // namespace

Async<std::vector<DueCampaign>> CampaignStore::due() {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kDue, PgParams()));
  std::vector<DueCampaign> campaigns;
  for (int i = 0; i < found.size(); ++i) {
    const PgRow row = found.row(i);
    DueCampaign campaign;
    campaign.id = row.text("id");
    campaign.target = row.text("target");
    campaign.state = row.one_of("state", parse_campaign_state);
    campaign.baseline = row.one_of("baseline", parse_baseline_kind);
    campaign.time_is_up = row.truth("time_is_up");
    campaign.late = row.text_or_empty("late");
    campaigns.push_back(std::move(campaign));
  }
  co_return campaigns;
}

Async<RaceEnd> CampaignStore::begin_confirming(std::string id) {
  const auto body = [&](PgTransaction& transaction) {
    return begin_confirming_in(transaction, id);
  };
  Result<RaceEnd> begun = co_await in_transaction<RaceEnd>(pool_, body);
  co_return begun;
}

Async<void> CampaignStore::stop_waiting(std::string id) {
  const auto body = [&](PgTransaction& transaction) { return stop_waiting_in(transaction, id); };
  Result<void> stopped = co_await in_transaction<void>(pool_, body);
  co_return stopped;
}

Async<std::string> CampaignStore::submit_confirm(std::string id, std::string candidate) {
  const auto body = [&](PgTransaction& transaction) {
    return submit_confirm_in(transaction, id, candidate);
  };
  Result<std::string> job = co_await in_transaction<std::string>(pool_, body);
  co_return job;
}

Async<CampaignView> CampaignStore::finish_with_winner(std::string id, std::string candidate,
                                                      NewPolicy policy) {
  const auto body = [&](PgTransaction& transaction) {
    return win_in(transaction, id, candidate, policy);
  };
  Result<void> won = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(won);
  Result<CampaignView> view = co_await find(id);
  co_return view;
}

Async<CampaignView> CampaignStore::finish_without_winner(std::string id, std::string reason) {
  const auto body = [&](PgTransaction& transaction) {
    return end_in(transaction, id, CampaignState::finished, reason);
  };
  Result<void> ended = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(ended);
  Result<CampaignView> view = co_await find(id);
  co_return view;
}

Async<CampaignView> CampaignStore::fail(std::string id, std::string reason) {
  const auto body = [&](PgTransaction& transaction) {
    return end_in(transaction, id, CampaignState::failed, reason);
  };
  Result<void> ended = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(ended);
  Result<CampaignView> view = co_await find(id);
  co_return view;
}

}  // namespace hone
