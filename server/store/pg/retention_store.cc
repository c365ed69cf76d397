#include "server/store/retention_store.h"

#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/reuse_lock.h"

namespace hone {
namespace {

// So many rows that a statement takes some ten milliseconds.
constexpr std::int64_t kRows = 2000;
constexpr std::int64_t kResults = 100;   // with some hundred samples each
constexpr std::int64_t kEpisodes = 100;  // likewise steps

// Results are looked through once, from where the last batch ended. Spared is what a policy may
// refer to: campaigns that published one or may still, and what their results were taken over from
// (under ReuseLock, so that nothing is being taken over meanwhile).
std::string results_batch(const std::string& what, const std::string& removal) {
  return R"sql(
WITH progress AS MATERIALIZED (
  SELECT done_before, done_attempt FROM retention_progress WHERE what = ')sql" +
         what + R"sql('
  UNION ALL SELECT '-infinity', 0
  ORDER BY done_before DESC LIMIT 1
), batch AS MATERIALIZED (
  SELECT r.attempt, r.job, r.created_at
  FROM results r, progress p
  WHERE r.created_at >= p.done_before AND (r.created_at, r.attempt) > (p.done_before, p.done_attempt)
    AND r.created_at < now() - $1 * interval '1 day'
  ORDER BY r.created_at, r.attempt LIMIT $2
), old AS MATERIALIZED (
  SELECT b.attempt
  FROM batch b JOIN jobs j ON j.number = b.job LEFT JOIN campaigns c ON c.number = j.campaign
  WHERE (j.campaign IS NULL
         OR (c.finished_at IS NOT NULL
             AND NOT EXISTS (SELECT FROM policies p WHERE p.campaign = j.campaign)))
    AND NOT EXISTS (SELECT FROM results o JOIN jobs oj ON oj.number = o.job
                    JOIN campaigns oc ON oc.number = oj.campaign
                    WHERE o.reused_attempt = b.attempt
                      AND (oc.finished_at IS NULL
                           OR EXISTS (SELECT FROM policies p WHERE p.campaign = oc.number)))
), removed AS ()sql" +
         removal + R"sql(), moved AS (
  INSERT INTO retention_progress AS known (what, done_before, done_attempt)
  SELECT ')sql" +
         what +
         R"sql(', created_at, attempt FROM batch ORDER BY created_at DESC, attempt DESC LIMIT 1
  ON CONFLICT (what) DO UPDATE
    SET done_before = EXCLUDED.done_before, done_attempt = EXCLUDED.done_attempt
    WHERE (EXCLUDED.done_before, EXCLUDED.done_attempt) > (known.done_before, known.done_attempt)
)
SELECT (SELECT count(*) FROM removed) AS removed, (SELECT count(*) FROM batch) AS looked_at,
       0::bigint AS cursor)sql";
}

const PgStatement kSamples{"retention_samples", results_batch("samples", R"sql(
  DELETE FROM measurements m USING old WHERE m.attempt = old.attempt RETURNING 1)sql"),
                           Repeat::safe, Planning::each_time};

const PgStatement kJobLogs{"retention_job_logs", results_batch("job_logs", R"sql(
  UPDATE results r SET log = '' FROM old WHERE r.attempt = old.attempt AND r.log <> '' RETURNING 1)sql"),
                           Repeat::safe, Planning::each_time};

// The primary key is the order of time, or nearly so: what is old stands at its beginning.
const PgStatement kEvents{"retention_events", R"sql(
WITH first AS MATERIALIZED (
  SELECT transaction, number, at FROM events ORDER BY transaction, number LIMIT $2
), removed AS (
  DELETE FROM events e USING first f
  WHERE e.transaction = f.transaction AND e.number = f.number
    AND f.at < now() - $1 * interval '1 day'
  RETURNING 1
)
SELECT count(*) AS removed, count(*) AS looked_at, 0::bigint AS cursor FROM removed)sql",
                          Repeat::safe, Planning::each_time};

const PgStatement kKeys{"retention_keys", R"sql(
WITH removed AS (
  DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM idempotency_keys WHERE created_at < now() - $1 * interval '1 day' LIMIT $2))
  RETURNING 1
)
SELECT count(*) AS removed, count(*) AS looked_at, 0::bigint AS cursor FROM removed)sql",
                        Repeat::safe, Planning::each_time};

// Steps go with their episode. Not of a session that is still used: what it does next could not be
// logged.
const PgStatement kEpisodesGone{"retention_episodes", R"sql(
WITH removed AS (
  DELETE FROM episodes WHERE number IN (
    SELECT e.number FROM episodes e
    LEFT JOIN LATERAL (SELECT s.kind, s.at FROM steps s WHERE s.episode = e.number
                       ORDER BY s.step DESC LIMIT 1) last ON true
    WHERE e.begun_at < now() - $1 * interval '1 day'
      AND (last.at IS NULL OR last.at < now() - $1 * interval '1 day')
    ORDER BY e.begun_at LIMIT $2)
  RETURNING 1
)
SELECT count(*) AS removed, count(*) AS looked_at, 0::bigint AS cursor FROM removed)sql",
                                Repeat::safe, Planning::each_time};

// Whoever refers to a state anew holds a lock on its row (transition_store.cc), or fails for its
// foreign key and tries again; the row is left alone then. Numbers are given in order of time, or
// nearly so: a batch without an old one is the last, whatever number of young ones comes behind it.
const PgStatement kStates{"retention_states", R"sql(
WITH looked AS MATERIALIZED (
  SELECT number, created_at < now() - $1 * interval '1 day' AS is_old FROM states
  WHERE number > $3 ORDER BY number LIMIT $2
), free AS MATERIALIZED (
  SELECT s.number FROM states s JOIN looked l ON l.number = s.number AND l.is_old
  WHERE NOT EXISTS (SELECT FROM decisions d WHERE d.state = s.number)
    AND NOT EXISTS (SELECT FROM steps t WHERE t.state = s.number)
    AND NOT EXISTS (SELECT FROM steps t WHERE t.next_state = s.number)
  FOR UPDATE OF s SKIP LOCKED
), removed AS (
  DELETE FROM states s USING free WHERE s.number = free.number RETURNING 1
)
SELECT (SELECT count(*) FROM removed) AS removed,
       (SELECT CASE WHEN bool_or(is_old) THEN count(*) ELSE 0 END FROM looked) AS looked_at,
       coalesce((SELECT max(number) FROM looked), 0) AS cursor)sql",
                          Repeat::safe, Planning::each_time};

// Not of a canary whose traffic is still being set to what its end says, or whose reward is not
// stored: whoever does so reads them. Canary by canary through the key: where none has any left,
// windows of others are not read.
const PgStatement kCanaryWindows{"retention_canary_windows", R"sql(
WITH old AS MATERIALIZED (
  SELECT w.canary, w.number
  FROM canaries c
  CROSS JOIN LATERAL (SELECT canary, number FROM canary_windows
                      WHERE canary = c.number ORDER BY number LIMIT $2) w
  WHERE c.ended_at < now() - $1 * interval '1 day' AND c.follows
    AND EXISTS (SELECT FROM experiences e WHERE e.canary = c.number)
  LIMIT $2
), removed AS (
  DELETE FROM canary_windows w USING old o WHERE w.canary = o.canary AND w.number = o.number
  RETURNING 1
)
SELECT count(*) AS removed, count(*) AS looked_at, 0::bigint AS cursor FROM removed)sql",
                                 Repeat::safe, Planning::each_time};

// The audit log refuses every change but this one, which says so for its own transaction.
const PgStatement kAllowAudit{"retention_allow_audit",
                              "SELECT set_config('hone.audit_retention', 'on', true)", Repeat::safe,
                              Planning::each_time};
const PgStatement kAudit{"retention_audit", R"sql(
WITH removed AS (
  DELETE FROM audit_log WHERE number IN (
    SELECT number FROM (SELECT number, at FROM audit_log ORDER BY number LIMIT $2) AS first
    WHERE at < now() - $1 * interval '1 day')
  RETURNING 1
)
SELECT count(*) AS removed, count(*) AS looked_at, 0::bigint AS cursor FROM removed)sql",
                         Repeat::safe, Planning::each_time};

RetentionStep step_of(const PgResult& result, std::int64_t limit) {
  const PgRow row = result.first();
  RetentionStep step;
  step.removed = row.integer("removed");
  step.more = row.integer("looked_at") >= limit;
  step.cursor = row.integer("cursor");
  return step;
}

Async<RetentionStep> remove_audit_in(PgTransaction& transaction, std::int64_t days) {
  HONE_CO_CHECK(co_await transaction.execute(kAllowAudit, PgParams()));
  PgParams params;
  params.integer(days).integer(kRows);
  HONE_CO_TRY(const PgResult done, co_await transaction.execute(kAudit, std::move(params)));
  co_return step_of(done, kRows);
}

Async<RetentionStep> remove_results_in(PgTransaction& transaction, const PgStatement& statement,
                                       std::int64_t days) {
  HONE_CO_CHECK(co_await lock_reuse(transaction, ReuseLock::remove_samples));
  PgParams params;
  params.integer(days).integer(kResults);
  HONE_CO_TRY(const PgResult done, co_await transaction.execute(statement, std::move(params)));
  co_return step_of(done, kResults);
}

struct Batch {
  const PgStatement* statement;
  std::int64_t limit;
};

Batch batch_of(Retained what) {
  switch (what) {
    case Retained::events:
      return {&kEvents, kRows};
    case Retained::idempotency_keys:
      return {&kKeys, kRows};
    case Retained::episodes:
      return {&kEpisodesGone, kEpisodes};
    case Retained::canary_windows:
      return {&kCanaryWindows, kRows};
    case Retained::samples:
    case Retained::job_logs:
    case Retained::states:
    case Retained::audit:
      break;
  }
  return {&kStates, kRows};
}

}  // namespace

std::string_view to_string(Retained what) {
  switch (what) {
    case Retained::samples:
      return "samples";
    case Retained::job_logs:
      return "job_logs";
    case Retained::events:
      return "events";
    case Retained::idempotency_keys:
      return "idempotency_keys";
    case Retained::episodes:
      return "episodes";
    case Retained::states:
      return "states";
    case Retained::canary_windows:
      return "canary_windows";
    case Retained::audit:
      return "audit";
  }
  return "";
}

std::int64_t days_of(const RetentionOptions& options, Retained what) {
  switch (what) {
    case Retained::samples:
      return options.samples_days;
    case Retained::job_logs:
      return options.job_logs_days;
    case Retained::events:
      return options.events_days;
    case Retained::idempotency_keys:
      return 1;
    case Retained::episodes:
      return options.session_log_days;
    case Retained::states:
      return options.states_days;
    case Retained::canary_windows:
      return options.canary_windows_days;
    case Retained::audit:
      return options.audit_days;
  }
  return 0;
}

Async<RetentionStep> RetentionStore::remove_some(Retained what, std::int64_t days,
                                                 std::int64_t cursor) {
  if (what == Retained::audit) {
    const auto body = [days](PgTransaction& transaction) {
      return remove_audit_in(transaction, days);
    };
    Result<RetentionStep> removed = co_await in_transaction<RetentionStep>(pool_, body);
    co_return removed;
  }
  if (what == Retained::samples || what == Retained::job_logs) {
    const PgStatement& statement = what == Retained::samples ? kSamples : kJobLogs;
    const auto body = [&statement, days](PgTransaction& transaction) {
      return remove_results_in(transaction, statement, days);
    };
    Result<RetentionStep> removed = co_await in_transaction<RetentionStep>(pool_, body);
    co_return removed;
  }
  const Batch batch = batch_of(what);
  PgParams params;
  params.integer(days).integer(batch.limit);
  if (what == Retained::states) {
    params.integer(cursor);
  }
  HONE_CO_TRY(const PgResult done, co_await pool_.execute(*batch.statement, std::move(params)));
  co_return step_of(done, batch.limit);
}

}  // namespace hone
