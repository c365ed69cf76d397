// JobStore: leases, from the claim to an end without a result.
//
// Locks are always taken in one order, job before attempt, so that a completion, a hand-back, a
// cancellation and the sweep of expired leases wait for each other and never deadlock. Whoever has
// the job's lock decides; the others then see what it did.

#include <nlohmann/json.hpp>

#include "server/store/job_store.h"
#include "server/store/pg/attempt_lock.h"
#include "server/store/pg/late_job.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"
#include "server/store/pg/served_gap.h"

namespace hone {
namespace {

const PgStatement kHeartbeat{"lease_heartbeat", R"sql(
WITH beat AS (
  UPDATE attempts a SET expires_at = now() + $3::bigint * interval '1 second'
  FROM tokens t
  WHERE a.id = $1::uuid AND a.state = 'leased' AND t.number = a.token AND t.id = $2::uuid
  RETURNING a.job, a.worker
), seen AS (
  UPDATE workers w SET last_seen_at = now()
  FROM beat WHERE w.number = beat.worker AND w.last_seen_at < now() - interval '5 seconds'
)
SELECT j.cancel_requested_at IS NOT NULL AS cancelled FROM beat JOIN jobs j ON j.number = beat.job)sql",
                             Repeat::safe};

const PgStatement kFailAttempt{"lease_fail_attempt", R"sql(
UPDATE attempts SET state = CASE WHEN $2::boolean THEN 'cancelled' ELSE 'failed' END::attempt_state,
                    reason = $3, ended_at = now()
WHERE number = $1)sql",
                               Repeat::unsafe};

// Where a job goes whose lease ended without a result. `counted` is the SQL of its counted
// attempts. A cancellation that was asked for at the deadline or later was the deadline's.
std::string next_state(const std::string& counted) {
  return "CASE WHEN j.cancel_requested_at < coalesce(j.deadline, 'infinity') THEN 'cancelled' "
         "WHEN j.deadline <= now() THEN 'late' WHEN " +
         counted + " >= j.max_attempts THEN 'dead' ELSE 'queued' END";
}

// When it is tried again, by the number of counted attempts and the SQL of the pauses'
// milliseconds: null if there is none.
std::string next_try(const std::string& counted, const std::string& first,
                     const std::string& longest) {
  return "now() + nullif(least(" + first + "::double precision * 2 ^ least(" + counted +
         " - 1, 30), " + longest +
         "::double precision), 0) * (0.75 + 0.5 * random()) * interval '1 millisecond'";
}

// SET list of that move. `last` is the SQL of the last attempt's reason, `again` of the time.
std::string move_on(const std::string& counted, const std::string& last, const std::string& again) {
  const std::string state = next_state(counted);
  return "state = (CASE " + state + " WHEN 'late' THEN 'dead' ELSE " + state +
         " END)::job_state, finished_at = CASE " + state +
         " WHEN 'queued' THEN NULL ELSE now() END, not_before = CASE " + state +
         " WHEN 'queued' THEN " + again + " END, reason = CASE " + state +
         " WHEN 'queued' THEN '' WHEN 'cancelled' THEN 'cancelled on request' WHEN 'late' THEN " +
         deadline_reason_sql() +
         " ELSE 'gave up after ' || j.attempts_made || ' attempts; the last: ' || " + last + " END";
}

// $2 is 1 for a hand-back that is not counted: such a job waits for nothing.
const PgStatement kMoveOn{
    "lease_move_on",
    "UPDATE jobs j SET " +
        move_on("j.attempts_counted - $2::integer", "$3::text",
                "CASE WHEN $2::integer = 0 THEN " + next_try("j.attempts_counted", "$4", "$5") +
                    " END") +
        ", attempts_counted = j.attempts_counted - $2::integer WHERE j.number = $1 "
        "RETURNING j.state, " +
        gave_up_sql("j") + " AS gave_up",
    Repeat::unsafe};

// A heartbeat takes no lock on the job. So the attempt's own row decides, as it is when it is
// locked: ended looks at expires_at again. Whether somebody served of late is asked here and not
// before: sent again behind an outage, the statement would end leases that ServedTime::note() has
// yet to give the time of the outage.
const PgStatement kExpire{
    "lease_expire",
    R"sql(
WITH late AS MATERIALIZED (
  SELECT j.number, j.attempt
  FROM jobs j JOIN attempts a ON a.number = j.attempt
  WHERE j.state = 'leased' AND a.expires_at < now()
    AND EXISTS (SELECT FROM serving WHERE until >= now() - )sql" +
        std::string(kServedGap) + R"sql()
  ORDER BY j.number LIMIT 200
  FOR NO KEY UPDATE OF j SKIP LOCKED
), ended AS (
  UPDATE attempts a
  SET state = 'expired', ended_at = now(),
      reason = 'the lease expired: worker ' || w.name || ' sent no heartbeat in time'
  FROM late, workers w
  WHERE a.number = late.attempt AND w.number = a.worker AND a.state = 'leased'
    AND a.expires_at < now()
  RETURNING a.id, a.job, a.reason, w.name AS worker
), moved AS (
  UPDATE jobs j SET )sql" +
        move_on("j.attempts_counted", "ended.reason", next_try("j.attempts_counted", "$1", "$2")) +
        R"sql(
  FROM ended WHERE j.number = ended.job
  RETURNING j.number, j.id, j.state, )sql" +
        gave_up_sql("j") + R"sql( AS gave_up
)
SELECT ended.id AS attempt, moved.id AS job, ended.worker, ended.reason, moved.state, moved.gave_up
FROM ended JOIN moved ON moved.number = ended.job ORDER BY moved.number)sql",
    Repeat::safe, Planning::each_time};

// Jobs whose pause is over become ready; nobody else would tell the claimers.
const PgStatement kWake{"queue_wake", R"sql(
WITH woken AS (
  UPDATE jobs SET not_before = NULL
  WHERE number IN (SELECT number FROM jobs
                   WHERE state = 'queued' AND not_before <= now()
                   ORDER BY not_before LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED)
  RETURNING number
), told AS (
  SELECT pg_notify('hone_queue', '') WHERE EXISTS (SELECT FROM woken)
)
SELECT (SELECT count(*) FROM woken) AS woken, (SELECT count(*) FROM told) AS told)sql",
                        Repeat::safe, Planning::each_time};

// Queued jobs past their deadline are dead; of leased ones the worker is told, as of a
// cancellation.
const PgStatement kEndLate{"queue_end_late",
                           R"sql(
WITH late AS MATERIALIZED (
  SELECT number FROM jobs
  WHERE deadline <= now() AND state IN ('queued', 'leased')
    AND NOT (state = 'leased' AND cancel_requested_at IS NOT NULL)
  ORDER BY number LIMIT 1000
  FOR NO KEY UPDATE SKIP LOCKED
), ended AS (
  UPDATE jobs j
  SET state = CASE j.state WHEN 'queued' THEN 'dead' ELSE j.state END,
      reason = CASE j.state WHEN 'queued' THEN )sql" +
                               deadline_reason_sql() + R"sql( ELSE j.reason END,
      finished_at = CASE j.state WHEN 'queued' THEN now() END,
      not_before = NULL,
      cancel_requested_at = CASE j.state WHEN 'leased' THEN now() END
  FROM late WHERE j.number = late.number
  RETURNING j.number
)
SELECT count(*) AS ended FROM ended)sql",
                           Repeat::safe, Planning::each_time};

const PgStatement kFoldCounts{"queue_fold_counts", "SELECT fold_job_counts()", Repeat::safe};

Async<EndedLease> hand_back_in(PgTransaction& transaction, const std::string& id,
                               const std::string& token, const HandBack& hand_back,
                               const RetryPause& pause) {
  HONE_CO_TRY(const LockedAttempt attempt, co_await lock_attempt(transaction, id, token));
  EndedLease ended;
  ended.attempt = id;
  ended.job = attempt.job_id;
  ended.worker = attempt.worker;
  ended.reason = hand_back.reason.empty() ? "the worker handed it back" : hand_back.reason;
  if (attempt.state == AttemptState::failed ||
      (attempt.state == AttemptState::cancelled && attempt.completion_sha256.empty())) {
    ended.reason = attempt.reason;
    ended.job_state = attempt.job_state;
    co_return ended;
  }
  if (attempt.state != AttemptState::leased) {
    co_return lease_ended(attempt);
  }
  PgParams failed;
  failed.integer(attempt.number).truth(attempt.cancel_requested).text(ended.reason);
  HONE_CO_CHECK(co_await transaction.execute(kFailAttempt, std::move(failed)));
  const std::string last = "handed back by worker " + attempt.worker + ": " + ended.reason;
  PgParams moved;
  moved.integer(attempt.job).integer(hand_back.count_attempt ? 0 : 1).text(last);
  moved.integer(pause.first.count()).integer(pause.longest.count());
  HONE_CO_TRY(const PgResult row, co_await transaction.execute(kMoveOn, std::move(moved)));
  ended.job_state = row.first().one_of("state", parse_job_state);
  ended.gave_up = row.first().truth("gave_up");
  co_return ended;
}

}  // namespace

Async<HeartbeatReply> JobStore::heartbeat(std::string attempt, std::string token,
                                          std::int64_t lease_seconds) {
  if (!is_uuid(attempt)) {
    co_return no_such("attempt", attempt);
  }
  if (!is_uuid(token)) {
    co_return fail(ErrorCode::unauthenticated, "the token is not known");
  }
  PgParams params;
  params.text(attempt).text(token).integer(lease_seconds);
  HONE_CO_TRY(const PgResult beat, co_await pool_.execute(kHeartbeat, std::move(params)));
  if (beat.empty()) {
    Result<LockedAttempt> read = co_await read_attempt_of(pool_, attempt, token);
    HONE_CO_TRY(const LockedAttempt ended, std::move(read));
    co_return lease_ended(ended);
  }
  HeartbeatReply reply;
  reply.ttl_seconds = lease_seconds;
  reply.cancelled = beat.first().truth("cancelled");
  co_return reply;
}

Async<EndedLease> JobStore::hand_back(std::string attempt, std::string token, HandBack hand_back) {
  const auto body = [&](PgTransaction& transaction) {
    return hand_back_in(transaction, attempt, token, hand_back, pause_);
  };
  Result<EndedLease> ended = co_await in_transaction<EndedLease>(pool_, body);
  co_return ended;
}

Async<std::vector<EndedLease>> JobStore::expire_leases() {
  PgParams pause;
  pause.integer(pause_.first.count()).integer(pause_.longest.count());
  HONE_CO_TRY(const PgResult expired, co_await pool_.execute(kExpire, std::move(pause)));
  std::vector<EndedLease> list;
  for (int i = 0; i < expired.size(); ++i) {
    const PgRow row = expired.row(i);
    EndedLease ended;
    ended.attempt = row.text("attempt");
    ended.job = row.text("job");
    ended.worker = row.text("worker");
    ended.reason = row.text("reason");
    ended.job_state = row.one_of("state", parse_job_state);
    ended.gave_up = row.truth("gave_up");
    list.push_back(std::move(ended));
  }
  co_return list;
}

Async<QueueSweep> JobStore::sweep_queue() {
  QueueSweep sweep;
  HONE_CO_TRY(const PgResult woken, co_await pool_.execute(kWake, PgParams()));
  sweep.woken = woken.first().integer("woken");
  HONE_CO_TRY(const PgResult late, co_await pool_.execute(kEndLate, PgParams()));
  sweep.late = late.first().integer("ended");
  HONE_CO_CHECK(co_await pool_.execute(kFoldCounts, PgParams()));
  co_return sweep;
}

}  // namespace hone
