// JobStore: leases, from the claim to an end without a result.
//
// Locks are always taken in one order, job before attempt, so that a completion, a hand-back, a
// cancellation and the sweep of expired leases wait for each other and never deadlock. Whoever has
// the job's lock decides; the others then see what it did.

#include <nlohmann/json.hpp>

#include "common/base/token.h"
#include "server/store/job_store.h"
#include "server/store/pg/attempt_lock.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"
#include "server/store/worker_fitness.h"

namespace hone {
namespace {

// The claim, in one statement: who asks, which job is next for him (kNext or kNextBeside), and the
// lease on it.
//
// lanes:  the distinct (priority, lane) pairs that have queued jobs, found by hopping along the
// queue's
//         index: one look-up per pair, however many jobs are queued.
// ranked: their order: priority, then who holds the fewest leases, then who was served longest ago.
// me:     a worker that is drained gets nothing.
// granted: the targets of a token that is confined: it leases their jobs only.
// unfit:  the targets that this worker may not measure for a while, by its self-checks.
// head:   the oldest job of the first lane that has one which it may measure and nobody else is
//         claiming right now.
const std::string kWhoAsks = R"sql(
WITH RECURSIVE me AS (
  SELECT w.number, t.number AS token, w.drained_at IS NOT NULL AS drained, t.confined
  FROM workers w, tokens t WHERE w.name = $1 AND t.id = $2::uuid AND t.revoked_at IS NULL
    AND (t.expires_at IS NULL OR t.expires_at > now())
), granted AS MATERIALIZED (
  SELECT t.number AS target
  FROM me JOIN token_grants g ON g.token = me.token JOIN targets t ON t.name = g.target
), seen AS (
  UPDATE workers SET last_seen_at = now()
  WHERE name = $1 AND last_seen_at < now() - interval '5 seconds'
), unfit AS MATERIALIZED (
  SELECT f.target, f.target_version FROM me JOIN worker_fitness f ON f.worker = me.number
  WHERE f.unfit_reason IS NOT NULL AND f.checked_at > now() - $5::bigint * interval '1 second'
), )sql";

const std::string kNext = R"sql(lanes (urgency, lane) AS (
  (SELECT -priority, lane FROM jobs WHERE state = 'queued' ORDER BY -priority, lane LIMIT 1)
  UNION ALL
  SELECT next.urgency, next.lane
  FROM lanes, LATERAL (
    SELECT -priority AS urgency, lane FROM jobs
    WHERE state = 'queued' AND (-priority, lane) > (lanes.urgency, lanes.lane)
    ORDER BY -priority, lane LIMIT 1) AS next
), ranked AS MATERIALIZED (
  SELECT urgency, lane,
         (SELECT count(*) FROM jobs j WHERE j.state = 'leased' AND j.lane = lanes.lane) AS leases,
         (SELECT max(a.number) FROM attempts a WHERE a.lane = lanes.lane) AS served
  FROM lanes
  ORDER BY urgency, leases, served NULLS FIRST, lane
), head AS MATERIALIZED (
  SELECT oldest.number, oldest.lane, oldest.attempts_made
  FROM me, ranked, LATERAL (
    SELECT j.number, j.lane, j.attempts_made FROM jobs j
    WHERE j.state = 'queued' AND -j.priority = ranked.urgency AND j.lane = ranked.lane
      AND (j.target, j.target_version) NOT IN (SELECT target, target_version FROM unfit)
      AND (NOT me.confined OR j.target IN (SELECT target FROM granted))
    ORDER BY j.number LIMIT 1
    FOR NO KEY UPDATE SKIP LOCKED) AS oldest
  WHERE NOT me.drained
  LIMIT 1
), )sql";

// The oldest queued race job that can be raced beside attempt $7, of which `held` says whether the
// caller holds it.
const std::string kNextBeside = R"sql(held AS MATERIALIZED (
  SELECT j.priority, j.lane, j.campaign, j.target, j.target_version, j.baseline, j.stage,
         me.confined
  FROM me, attempts a JOIN jobs j ON j.number = a.job
  WHERE a.id = $7::uuid AND a.state = 'leased' AND a.token = me.token AND NOT me.drained
), head AS MATERIALIZED (
  SELECT j.number, j.lane, j.attempts_made
  FROM held JOIN jobs j
    ON j.state = 'queued' AND -j.priority = -held.priority AND j.lane = held.lane
  WHERE held.stage = 'race' AND held.campaign IS NOT NULL
    AND j.stage = held.stage AND j.campaign = held.campaign AND j.baseline = held.baseline
    AND j.target = held.target AND j.target_version = held.target_version
    AND (j.target, j.target_version) NOT IN (SELECT target, target_version FROM unfit)
    AND (NOT held.confined OR j.target IN (SELECT target FROM granted))
  ORDER BY j.number LIMIT 1
  FOR NO KEY UPDATE OF j SKIP LOCKED
), )sql";

const std::string kLeaseIt = R"sql(attempt AS (
  INSERT INTO attempts (job, lane, ordinal, worker, token, seed, expires_at)
  SELECT head.number, head.lane, head.attempts_made + 1, me.number, me.token, $3,
         now() + $4::bigint * interval '1 second'
  FROM head, me
  RETURNING number, id, job, ordinal
), claimed AS (
  UPDATE jobs j
  SET state = 'leased', attempts_made = j.attempts_made + 1,
      attempts_counted = j.attempts_counted + 1, attempt = attempt.number
  FROM attempt WHERE j.number = attempt.job
  RETURNING j.number, j.id, j.campaign, j.target, j.target_version, j.stage, j.baseline,
            j.candidate, j.rules, j.created_by
)
SELECT attempt.id AS attempt, attempt.ordinal, claimed.id AS job, c.id AS campaign, v.spec, claimed.stage,
       claimed.baseline, coalesce(claimed.rules, k.rules) AS rules,
       NOT EXISTS (SELECT FROM worker_fitness f
                   WHERE f.worker = me.number AND f.target = claimed.target
                     AND f.target_version = claimed.target_version AND f.bad_in_a_row = 0
                     AND f.checked_at > now() - $6::bigint * interval '1 second') AS self_check,
       may_define_target(coalesce(claimed.created_by, c.created_by), claimed.target) AS owners,
       coalesce(c.proposing_seconds IS NOT NULL AND claimed.stage = 'race', false)
       AND coalesce(v.spec #>> '{benchmark,metric,metric}', 'cpu_time')
           NOT IN ('text_bytes', 'binary_bytes', 'compile_time', 'peak_rss_bytes')
       AND NOT EXISTS (SELECT FROM source_profiles p
                       WHERE p.target = claimed.target AND p.target_version = claimed.target_version
                         AND (p.why_none IS NULL
                              OR (p.worker = me.number
                                  AND p.measured_at > now() - interval '1 day'))) AS profile
FROM me
LEFT JOIN (claimed
           JOIN attempt ON attempt.job = claimed.number
           JOIN target_versions v
             ON v.target = claimed.target AND v.version = claimed.target_version
           LEFT JOIN campaigns c ON c.number = claimed.campaign
           LEFT JOIN candidates k ON k.number = claimed.candidate) ON true)sql";

const PgStatement kClaim{"job_claim", kWhoAsks + kNext + kLeaseIt, Repeat::unsafe};
const PgStatement kClaimBeside{"job_claim_beside", kWhoAsks + kNextBeside + kLeaseIt,
                               Repeat::unsafe};

// Nobody ends a lease but its holder, or the sweep: what holds a moment before the claim is as good
// as what holds during it.
const PgStatement kIsHeld{"lease_is_held", R"sql(
SELECT a.number FROM attempts a JOIN tokens t ON t.number = a.token
WHERE a.id = $1::uuid AND t.id = $2::uuid AND a.state = 'leased')sql",
                          Repeat::safe};

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
// attempts.
std::string next_state(const std::string& counted) {
  return "CASE WHEN j.cancel_requested_at IS NOT NULL THEN 'cancelled' WHEN " + counted +
         " >= j.max_attempts THEN 'dead' ELSE 'queued' END";
}

// SET list of that move. `last` is the SQL of the last attempt's reason.
std::string move_on(const std::string& counted, const std::string& last) {
  const std::string state = next_state(counted);
  return "state = (" + state + ")::job_state, finished_at = CASE " + state +
         " WHEN 'queued' THEN NULL ELSE now() END, reason = CASE " + state +
         " WHEN 'queued' THEN '' WHEN 'cancelled' THEN 'cancelled on request'"
         " ELSE 'gave up after ' || j.attempts_made || ' attempts; the last: ' || " +
         last + " END";
}

const PgStatement kMoveOn{"lease_move_on",
                          "UPDATE jobs j SET " +
                              move_on("j.attempts_counted - $2::integer", "$3::text") +
                              ", attempts_counted = j.attempts_counted - $2::integer "
                              "WHERE j.number = $1 RETURNING j.state",
                          Repeat::unsafe};

// A heartbeat takes no lock on the job. So the attempt's own row decides, as it is when it is
// locked: ended looks at expires_at again.
const PgStatement kExpire{"lease_expire",
                          R"sql(
WITH late AS MATERIALIZED (
  SELECT j.number, j.attempt
  FROM jobs j JOIN attempts a ON a.number = j.attempt
  WHERE j.state = 'leased' AND a.expires_at < now()
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
  UPDATE jobs j SET )sql" + move_on("j.attempts_counted", "ended.reason") +
                              R"sql(
  FROM ended WHERE j.number = ended.job
  RETURNING j.number, j.id, j.state
)
SELECT ended.id AS attempt, moved.id AS job, ended.worker, ended.reason, moved.state
FROM ended JOIN moved ON moved.number = ended.job ORDER BY moved.number)sql",
                          Repeat::safe};

const PgStatement kExtend{"lease_extend", R"sql(
UPDATE attempts SET expires_at = greatest(expires_at, now() + $1::bigint * interval '1 second')
WHERE state = 'leased')sql",
                          Repeat::safe};

Async<EndedLease> hand_back_in(PgTransaction& transaction, const std::string& id,
                               const std::string& token, const HandBack& hand_back) {
  HONE_CO_TRY(const LockedAttempt attempt, co_await lock_attempt(transaction, id, token));
  EndedLease ended;
  ended.attempt = id;
  ended.job = attempt.job_id;
  ended.worker = attempt.worker;
  ended.reason = hand_back.reason.empty() ? "the worker handed it back" : hand_back.reason;
  if (attempt.state == AttemptState::failed) {
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
  HONE_CO_TRY(const PgResult row, co_await transaction.execute(kMoveOn, std::move(moved)));
  ended.job_state = row.first().one_of("state", parse_job_state);
  co_return ended;
}

Async<void> check_held(PgPool& pool, std::string attempt, std::string token) {
  if (is_uuid(attempt)) {
    PgParams wanted;
    wanted.text(attempt).text(token);
    HONE_CO_TRY(const PgResult found, co_await pool.execute(kIsHeld, std::move(wanted)));
    if (!found.empty()) {
      co_return Result<void>();
    }
  }
  Error error = fail(ErrorCode::invalid_argument, "bad lease request");
  error.fields.push_back(
      {"/beside", "'" + attempt + "' must be an attempt whose lease this token holds"});
  co_return error;
}

}  // namespace

Async<std::optional<Lease>> JobStore::claim(std::string worker, std::string token,
                                            std::int64_t lease_seconds, std::string beside) {
  if (!is_uuid(token)) {
    co_return fail(ErrorCode::unauthenticated, "the token is not known");
  }
  if (!beside.empty()) {
    HONE_CO_CHECK(co_await check_held(pool_, beside, token));
  }
  Lease lease;
  lease.seed = std::stoull(random_hex(6), nullptr, 16);  // 48 bits: exact in every JSON reader
  lease.ttl_seconds = lease_seconds;
  PgParams params;
  params.text(worker).text(token).unsigned_integer(lease.seed).integer(lease_seconds);
  params.integer(kUnfitSeconds).integer(kCheckIntervalSeconds);
  if (!beside.empty()) {
    params.text(beside);
  }
  const PgStatement& statement = beside.empty() ? kClaim : kClaimBeside;
  HONE_CO_TRY(const PgResult claimed, co_await pool_.execute(statement, std::move(params)));
  if (claimed.empty()) {
    co_return fail(ErrorCode::not_found, "worker '" + worker + "' is not registered");
  }
  const PgRow row = claimed.first();
  if (row.is_null("attempt")) {
    co_return std::optional<Lease>();
  }
  lease.attempt = row.text("attempt");
  lease.attempt_number = row.integer("ordinal");
  lease.job = row.text("job");
  lease.campaign = row.text_or_empty("campaign");
  lease.target = target_spec_from_json(row.json("spec"));
  lease.stage = row.one_of("stage", parse_stage);
  lease.baseline = row.one_of("baseline", parse_baseline_kind);
  lease.rules = rules_from_json(row.json("rules"));
  lease.trust = row.truth("owners") ? TrustLevel::owner : TrustLevel::guest;
  lease.self_check = row.truth("self_check");
  lease.profile = row.truth("profile");
  co_return std::optional<Lease>(std::move(lease));
}

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
    PgParams wanted;
    wanted.text(attempt);
    HONE_CO_TRY(const PgResult found, co_await pool_.execute(find_attempt(), std::move(wanted)));
    HONE_CO_TRY(const LockedAttempt ended, check_attempt(found, attempt, token));
    co_return lease_ended(ended);
  }
  HeartbeatReply reply;
  reply.ttl_seconds = lease_seconds;
  reply.cancelled = beat.first().truth("cancelled");
  co_return reply;
}

Async<EndedLease> JobStore::hand_back(std::string attempt, std::string token, HandBack hand_back) {
  const auto body = [&](PgTransaction& transaction) {
    return hand_back_in(transaction, attempt, token, hand_back);
  };
  Result<EndedLease> ended = co_await in_transaction<EndedLease>(pool_, body);
  co_return ended;
}

Async<std::vector<EndedLease>> JobStore::expire_leases() {
  HONE_CO_TRY(const PgResult expired, co_await pool_.execute(kExpire, PgParams()));
  std::vector<EndedLease> list;
  for (int i = 0; i < expired.size(); ++i) {
    const PgRow row = expired.row(i);
    EndedLease ended;
    ended.attempt = row.text("attempt");
    ended.job = row.text("job");
    ended.worker = row.text("worker");
    ended.reason = row.text("reason");
    ended.job_state = row.one_of("state", parse_job_state);
    list.push_back(std::move(ended));
  }
  co_return list;
}

Async<std::int64_t> JobStore::extend_leases(std::int64_t lease_seconds) {
  PgParams params;
  params.integer(lease_seconds);
  HONE_CO_TRY(const PgResult extended, co_await pool_.execute(kExtend, std::move(params)));
  co_return extended.affected();
}

}  // namespace hone
