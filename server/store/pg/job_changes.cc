// JobStore: jobs cancelled, and dead ones tried again, on request.

#include <nlohmann/json.hpp>

#include "server/store/job_store.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

// The row is locked first: a claim or a completion under way is waited for, then its outcome is
// seen.
const PgStatement kCancelLock{
    "job_cancel_lock", "SELECT number, state FROM jobs WHERE id = $1::uuid FOR NO KEY UPDATE",
    Repeat::unsafe};
const PgStatement kCancelQueued{"job_cancel_queued", R"sql(
UPDATE jobs SET state = 'cancelled', reason = 'cancelled on request', finished_at = now()
WHERE number = $1)sql",
                                Repeat::unsafe};
const PgStatement kCancelLeased{"job_cancel_leased", R"sql(
UPDATE jobs SET cancel_requested_at = coalesce(cancel_requested_at, now()) WHERE number = $1)sql",
                                Repeat::unsafe};

// The campaign comes first, as for whoever cancels it with its jobs, and in a statement of its own:
// the next one sees the state that it then keeps until the transaction ends.
const PgStatement kRetryLockCampaign{"job_retry_lock_campaign", R"sql(
SELECT number FROM campaigns
WHERE number = (SELECT campaign FROM jobs WHERE id = $1::uuid) FOR SHARE)sql",
                                     Repeat::unsafe};
const PgStatement kRetryLock{"job_retry_lock", R"sql(
SELECT j.number, j.state, c.state AS campaign_state,
       CASE WHEN c.deadline <= now() THEN rfc3339(c.deadline) END AS campaign_late,
       c.state IS NULL OR c.state = CASE j.stage WHEN 'race' THEN 'racing' ELSE 'confirming' END::campaign_state
         AS is_wanted
FROM jobs j LEFT JOIN campaigns c ON c.number = j.campaign
WHERE j.id = $1::uuid FOR NO KEY UPDATE OF j)sql",
                             Repeat::unsafe};
const PgStatement kRetry{"job_retry", R"sql(
UPDATE jobs
SET state = 'queued', reason = '', finished_at = NULL, not_before = NULL, attempts_counted = 0,
    cancel_requested_at = NULL, deadline = CASE WHEN deadline > now() THEN deadline END
WHERE number = $1)sql",
                         Repeat::unsafe};

Async<void> cancel_in(PgTransaction& transaction, const std::string& id) {
  PgParams wanted;
  wanted.text(id);
  HONE_CO_TRY(const PgResult locked, co_await transaction.execute(kCancelLock, std::move(wanted)));
  if (locked.empty()) {
    co_return no_such("job", id);
  }
  const JobState state = locked.first().one_of("state", parse_job_state);
  if (state == JobState::done || state == JobState::dead) {
    co_return fail(ErrorCode::conflict,
                   "job '" + id + "' is " + std::string(to_string(state)) + " already");
  }
  if (state != JobState::cancelled) {
    PgParams number;
    number.integer(locked.first().integer("number"));
    const PgStatement& statement = state == JobState::queued ? kCancelQueued : kCancelLeased;
    HONE_CO_CHECK(co_await transaction.execute(statement, std::move(number)));
    transaction.changes_from(Json{{"state", to_string(state)}});
  } else {
    transaction.changed_nothing();
  }
  co_return Result<void>();
}

Async<void> retry_in(PgTransaction& transaction, const std::string& id) {
  PgParams wanted;
  wanted.text(id);
  HONE_CO_CHECK(co_await transaction.execute(kRetryLockCampaign, wanted));
  HONE_CO_TRY(const PgResult locked, co_await transaction.execute(kRetryLock, std::move(wanted)));
  if (locked.empty()) {
    co_return no_such("job", id);
  }
  const PgRow row = locked.first();
  const JobState state = row.one_of("state", parse_job_state);
  if (state == JobState::queued) {
    transaction.changed_nothing();
    co_return Result<void>();
  }
  if (state != JobState::dead) {
    co_return fail(ErrorCode::conflict, "job '" + id + "' is " + std::string(to_string(state)) +
                                            ": only a dead job is tried again");
  }
  if (!row.truth("is_wanted")) {
    co_return fail(ErrorCode::conflict, "the campaign of job '" + id + "' is " +
                                            row.text("campaign_state") +
                                            " and has no more use for it");
  }
  if (!row.is_null("campaign_late")) {
    co_return fail(ErrorCode::conflict, "the campaign of job '" + id + "' had to be done by " +
                                            row.text("campaign_late") +
                                            " and has no more use for it");
  }
  PgParams number;
  number.integer(row.integer("number"));
  HONE_CO_CHECK(co_await transaction.execute(kRetry, std::move(number)));
  co_return Result<void>();
}

}  // namespace

Async<JobView> JobStore::cancel(std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("job", id);
  }
  const auto body = [&](PgTransaction& transaction) { return cancel_in(transaction, id); };
  Result<void> cancelled = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(cancelled);
  Result<JobView> view = co_await find(id, SampleDetail::leave_out);
  co_return view;
}

Async<JobView> JobStore::retry(std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("job", id);
  }
  const auto body = [&](PgTransaction& transaction) { return retry_in(transaction, id); };
  Result<void> retried = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(retried);
  Result<JobView> view = co_await find(id, SampleDetail::leave_out);
  co_return view;
}

}  // namespace hone
