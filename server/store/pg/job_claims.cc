// JobStore: claims. One statement leases jobs to many workers at once.
//
// asked:    who asks, in the order in which they are served; as a worker that nobody registered, or
//           the same token. Who holds as many leases as its slots can be busy with gets no more.
// first:    the first of them that may have a job at all; asking: all that are of the same kind.
// granted:  the targets of a confined token: it leases their jobs only.
// strands:  the distinct (priority, lane, target, version) that have ready jobs, found by hopping
//           along the index of ready jobs: one look-up per strand, however many jobs are queued.
//           Each with whether the job it was found by is in time.
// open:     those that this kind of worker may measure, and that have a job in time, which costs a
//           further look only where the first one is not: a lane that is all late, but was not
//           swept yet, must not take another's place among the lanes.
// lanes:    their order: who holds the fewest leases, then who was served longest ago. No more than
//           there are askers can be served. Each takes its strands along, so that nobody looks for
//           them among all that are open. Two look-ups a lane: with 1,500 lanes a claim takes some
//           7 ms more than with one. Who was served longest ago stands in no index, and one of
//           lanes that did would be a row of each lane that all its claims and results wait for.
// next:     each lane's oldest jobs, numbered. A lane's second job stands where its first would if
//           the lane had one lease more: so a batch is dealt out as single claims one after the
//           other would be.
// chosen:   the first of all these; shares: how many of each strand.
// taken:    the jobs, locked. Where somebody else is claiming one right now, the next of the strand
//           is taken; where a strand has no more, `missed` says that it is worth looking again.

#include "server/store/pg/job_claims.h"

#include <nlohmann/json.hpp>

#include "common/base/log.h"
#include "common/base/token.h"
#include "server/store/job_store.h"
#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"
#include "server/store/pg/worker_kind.h"
#include "server/store/worker_fitness.h"

namespace hone {
namespace {

// What a job has to be for the index of ready jobs to hold it; and not past its deadline.
constexpr const char* kIsReady = "j.state = 'queued' AND j.not_before IS NULL";
constexpr const char* kIsInTime = "(j.deadline IS NULL OR j.deadline > now())";

std::string who_asks() {
  return R"sql(
WITH RECURSIVE asked AS MATERIALIZED (
  SELECT a.place, a.seed, w.number AS worker, t.number AS token,
         w.drained_at IS NOT NULL AS drained, w.meets, t.confined,
         coalesce((SELECT count(*) FROM attempts h WHERE h.worker = w.number AND h.state = 'leased')
                  + row_number() OVER (PARTITION BY a.worker ORDER BY a.place)
                  > w.slots * )sql" +
         std::to_string(kLargestHeat) + R"sql(, false) AS is_full, )sql" + worker_kind_sql() +
         R"sql( AS kind
  FROM unnest($1::text[], $2::uuid[], $3::bigint[]) WITH ORDINALITY AS a (worker, token, seed, place)
  LEFT JOIN tokens t ON t.id = a.token AND t.revoked_at IS NULL
    AND (t.expires_at IS NULL OR t.expires_at > now())
  LEFT JOIN workers w ON w.name = a.worker AND (w.token IS NULL OR w.token = t.number)
), first AS MATERIALIZED (
  SELECT worker, token, meets, confined, kind FROM asked
  WHERE worker IS NOT NULL AND token IS NOT NULL AND NOT drained AND NOT is_full
  ORDER BY place LIMIT 1
), asking AS MATERIALIZED (
  SELECT a.place, a.seed, a.worker, a.token, row_number() OVER (ORDER BY a.place) AS turn
  FROM asked a JOIN first USING (kind)
  WHERE a.token IS NOT NULL AND NOT a.drained AND NOT a.is_full
), granted AS MATERIALIZED (
  SELECT t.number AS target
  FROM first JOIN token_grants g ON g.token = first.token JOIN targets t ON t.name = g.target
), seen AS (
  UPDATE workers SET last_seen_at = now()
  WHERE number IN (SELECT number FROM workers
                   WHERE number IN (SELECT worker FROM asked)
                     AND last_seen_at < now() - interval '5 seconds'
                   ORDER BY number FOR NO KEY UPDATE SKIP LOCKED)
), unfit AS MATERIALIZED ()sql" +
         unfit_targets_sql("(SELECT worker FROM first)") + "), ";
}

std::string next_jobs() {
  const std::string ready = std::string(kIsReady);
  const std::string in_time = kIsInTime;
  return R"sql(strands (urgency, lane, target, version, in_time) AS (
  (SELECT -j.priority, j.lane, j.target, j.target_version, )sql" +
         in_time + " FROM jobs j WHERE " + ready + R"sql(
   ORDER BY -j.priority, j.lane, j.target, j.target_version LIMIT 1)
  UNION ALL
  SELECT next.urgency, next.lane, next.target, next.version, next.in_time
  FROM strands s, LATERAL (
    SELECT -j.priority AS urgency, j.lane, j.target, j.target_version AS version, )sql" +
         in_time + " AS in_time FROM jobs j WHERE " + ready + R"sql(
      AND (-j.priority, j.lane, j.target, j.target_version)
          > (s.urgency, s.lane, s.target, s.version)
    ORDER BY -j.priority, j.lane, j.target, j.target_version LIMIT 1) AS next
), open AS MATERIALIZED (
  SELECT s.urgency, s.lane, s.target, s.version
  FROM first, strands s
  JOIN target_versions v ON v.target = s.target AND v.version = s.version
  WHERE (v.requirement IS NULL OR v.requirement = ANY (first.meets))
    AND (s.target, s.version) NOT IN (SELECT target, target_version FROM unfit)
    AND (NOT first.confined OR s.target IN (SELECT target FROM granted))
    AND (s.in_time
         OR (SELECT true FROM jobs j
             WHERE )sql" +
         ready + R"sql( AND -j.priority = s.urgency AND j.lane = s.lane
               AND j.target = s.target AND j.target_version = s.version AND )sql" +
         in_time + R"sql(
             ORDER BY j.number LIMIT 1))
), lanes AS MATERIALIZED (
  SELECT urgency, lane, targets, versions,
         (SELECT count(*) FROM jobs j WHERE j.state = 'leased' AND j.lane = each.lane) AS leases,
         (SELECT max(a.number) FROM attempts a WHERE a.lane = each.lane) AS served
  FROM (SELECT urgency, lane, array_agg(target) AS targets, array_agg(version) AS versions
        FROM open GROUP BY urgency, lane) AS each
  ORDER BY urgency, leases, served NULLS FIRST, lane
  LIMIT (SELECT count(*) FROM asking)
), next AS MATERIALIZED (
  SELECT lanes.urgency, lanes.lane, o.target, o.version, lanes.leases, lanes.served,
         row_number() OVER (PARTITION BY lanes.urgency, lanes.lane ORDER BY oldest.number) AS turn
  FROM lanes, unnest(lanes.targets, lanes.versions) AS o (target, version), LATERAL (
    SELECT j.number FROM jobs j
    WHERE )sql" +
         ready + R"sql( AND -j.priority = lanes.urgency AND j.lane = lanes.lane
      AND j.target = o.target AND j.target_version = o.version AND )sql" +
         in_time + R"sql(
    ORDER BY j.number LIMIT )sql" +
         std::to_string(kMaxClaimants) + R"sql() AS oldest
), chosen AS MATERIALIZED (
  SELECT urgency, lane, target, version, row_number() OVER () AS place
  FROM (SELECT * FROM next
        ORDER BY urgency, leases + turn, turn > 1, served NULLS FIRST, lane
        LIMIT (SELECT count(*) FROM asking)) AS ordered
), shares AS MATERIALIZED (
  SELECT urgency, lane, target, version, count(*) AS share, min(place) AS place
  FROM chosen GROUP BY urgency, lane, target, version
), taken AS MATERIALIZED (
  SELECT shares.place, locked.number, locked.lane, locked.attempts_made
  FROM shares, LATERAL (
    SELECT j.number, j.lane, j.attempts_made FROM jobs j
    WHERE )sql" +
         ready + R"sql( AND -j.priority = shares.urgency AND j.lane = shares.lane
      AND j.target = shares.target AND j.target_version = shares.version AND )sql" +
         in_time + R"sql(
    ORDER BY j.number LIMIT shares.share
    FOR NO KEY UPDATE SKIP LOCKED) AS locked
), )sql";
}

// The oldest queued race job that can be raced beside attempt $5, of which `held` says whether the
// caller holds it. One that kills its worker takes its neighbours' leases with it, and nobody can
// tell which it was: so after that each runs by itself, and only that one is dead in the end.
std::string next_beside() {
  return R"sql(held AS MATERIALIZED (
  SELECT j.priority, j.lane, j.campaign, j.target, j.target_version, j.baseline, j.stage,
         first.confined
  FROM first, attempts a JOIN jobs j ON j.number = a.job
  WHERE a.id = $5::uuid AND a.state = 'leased' AND a.token = first.token
    AND j.attempts_counted = 1
), taken AS MATERIALIZED (
  SELECT 1 AS place, j.number, j.lane, j.attempts_made
  FROM held JOIN jobs j
    ON -j.priority = -held.priority AND j.lane = held.lane AND j.target = held.target
       AND j.target_version = held.target_version
  WHERE )sql" +
         std::string(kIsReady) + " AND " + kIsInTime + R"sql(
    AND held.stage = 'race' AND held.campaign IS NOT NULL AND j.attempts_counted = 0
    AND j.stage = held.stage AND j.campaign = held.campaign AND j.baseline = held.baseline
    AND (j.target, j.target_version) NOT IN (SELECT target, target_version FROM unfit)
    AND (NOT held.confined OR j.target IN (SELECT target FROM granted))
  ORDER BY j.number LIMIT 1
  FOR NO KEY UPDATE OF j SKIP LOCKED
), chosen AS (SELECT FROM taken), )sql";
}

std::string lease_them() {
  return R"sql(paired AS MATERIALIZED (
  SELECT dealt.number, dealt.lane, dealt.attempts_made, dealt.turn,
         asking.place, asking.seed, asking.worker, asking.token
  FROM (SELECT *, row_number() OVER (ORDER BY place, number) AS turn FROM taken) AS dealt
  JOIN asking USING (turn)
), attempt AS (
  INSERT INTO attempts (job, lane, ordinal, worker, token, seed, expires_at)
  SELECT number, lane, attempts_made + 1, worker, token, seed,
         now() + $4::bigint * interval '1 second'
  FROM paired ORDER BY turn
  RETURNING number, id, job, ordinal
), claimed AS (
  UPDATE jobs j
  SET state = 'leased', attempts_made = j.attempts_made + 1,
      attempts_counted = j.attempts_counted + 1, attempt = attempt.number
  FROM attempt WHERE j.number = attempt.job
  RETURNING j.number, j.id, j.campaign, j.target, j.target_version, j.stage, j.baseline,
            j.candidate, j.rules, j.created_by, j.traceparent
), given AS (
  SELECT p.place, attempt.id AS attempt, attempt.number AS attempt_key, attempt.ordinal, p.seed,
         claimed.id AS job, claimed.number AS job_key, c.id AS campaign, v.spec, claimed.stage,
         claimed.baseline, coalesce(claimed.rules, k.rules) AS rules,
         coalesce(claimed.traceparent, c.traceparent) AS traceparent,
         NOT EXISTS (SELECT FROM worker_fitness f
                     WHERE f.worker = p.worker AND f.target = claimed.target
                       AND f.target_version = claimed.target_version AND f.bad_in_a_row = 0
                       AND f.checked_at > now() - )sql" +
         std::to_string(kCheckIntervalSeconds) + R"sql( * interval '1 second') AS self_check,
         may_define_target(coalesce(claimed.created_by, c.created_by), claimed.target) AS owners,
         coalesce(c.proposing_seconds IS NOT NULL AND claimed.stage = 'race', false)
         AND coalesce(v.spec #>> '{benchmark,metric,metric}', 'cpu_time')
             NOT IN ('text_bytes', 'binary_bytes', 'compile_time', 'peak_rss_bytes')
         AND NOT EXISTS (SELECT FROM source_profiles s
                         WHERE s.target = claimed.target
                           AND s.target_version = claimed.target_version
                           AND (s.why_none IS NULL
                                OR (s.worker = p.worker
                                    AND s.measured_at > now() - interval '1 day'))) AS profile
  FROM paired p
  JOIN attempt ON attempt.job = p.number
  JOIN claimed ON claimed.number = p.number
  JOIN target_versions v ON v.target = claimed.target AND v.version = claimed.target_version
  LEFT JOIN campaigns c ON c.number = claimed.campaign
  LEFT JOIN candidates k ON k.number = claimed.candidate
)
SELECT asked.worker IS NOT NULL AND asked.token IS NOT NULL AS known,
       coalesce(asked.drained, false) AS drained, asked.is_full, asking.place IS NULL AS unlike,
       (SELECT count(*) FROM chosen) > (SELECT count(*) FROM taken) AS missed,
       given.attempt, given.ordinal, given.seed, given.job, given.campaign, given.spec,
       given.stage, given.baseline, given.rules, given.traceparent, given.self_check, given.owners, given.profile
FROM asked LEFT JOIN asking USING (place) LEFT JOIN given USING (place)
ORDER BY asked.place)sql";
}

const PgStatement kClaimBeside{"job_claim_beside", who_asks() + next_beside() + lease_them(),
                               Repeat::unsafe};

// Nobody ends a lease but its holder, or the sweep: what holds a moment before the claim is as good
// as what holds during it.
const PgStatement kIsHeld{"lease_is_held", R"sql(
SELECT a.number FROM attempts a JOIN tokens t ON t.number = a.token
WHERE a.id = $1::uuid AND t.id = $2::uuid AND a.state = 'leased')sql",
                          Repeat::safe};

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

PgParams claim_params(const std::vector<Claimant>& claimants, std::int64_t lease_seconds) {
  std::vector<std::string> workers;
  std::vector<std::string> tokens;
  std::vector<std::int64_t> seeds;
  for (const Claimant& claimant : claimants) {
    workers.push_back(claimant.worker);
    tokens.push_back(claimant.token);
    // 48 bits: exact in every JSON reader.
    seeds.push_back(std::stoll(random_hex(6), nullptr, 16));
  }
  PgParams params;
  params.text_array(workers).text_array(tokens).integer_array(seeds).integer(lease_seconds);
  return params;
}

Lease read_lease(const PgRow& row, std::int64_t lease_seconds) {
  Lease lease;
  lease.ttl_seconds = lease_seconds;
  lease.seed = static_cast<std::uint64_t>(row.integer("seed"));
  lease.attempt = row.text("attempt");
  lease.attempt_number = row.integer("ordinal");
  lease.job = row.text("job");
  lease.campaign = row.text_or_empty("campaign");
  lease.target = target_spec_from_json(row.json("spec"));
  lease.stage = row.one_of("stage", parse_stage);
  lease.baseline = row.one_of("baseline", parse_baseline_kind);
  lease.rules = rules_from_json(row.json("rules"));
  lease.trust = row.truth("owners") ? TrustLevel::owner : TrustLevel::guest;
  lease.traceparent = row.text_or_empty("traceparent");
  lease.self_check = row.truth("self_check");
  lease.profile = row.truth("profile");
  return lease;
}

// One job that is stored wrongly must not take the leases of the others with it.
std::optional<Lease> readable_lease(const PgRow& row, std::int64_t lease_seconds) {
  try {
    return read_lease(row, lease_seconds);
  } catch (const std::exception& error) {
    log_error("job_unreadable", {{"job", row.text("job")}, {"reason", error.what()}});
    return std::nullopt;
  }
}

Claims read_claims(const PgResult& answer, std::int64_t lease_seconds) {
  Claims claims;
  for (int i = 0; i < answer.size(); ++i) {
    const PgRow row = answer.row(i);
    Claim& claim = claims.each.emplace_back();
    claims.missed = row.truth("missed");
    if (!row.is_null("attempt")) {
      claim.status = ClaimStatus::leased;
      claim.lease = readable_lease(row, lease_seconds);
    } else if (!row.truth("known")) {
      claim.status = ClaimStatus::not_registered;
    } else if (row.truth("drained")) {
      claim.status = ClaimStatus::drained;
    } else if (row.truth("is_full")) {
      claim.status = ClaimStatus::full;
    } else if (row.truth("unlike")) {
      claim.status = ClaimStatus::other_kind;
    }
  }
  return claims;
}

Result<void> check_claimants(const std::vector<Claimant>& claimants) {
  for (const Claimant& claimant : claimants) {
    if (!is_uuid(claimant.token)) {
      return fail(ErrorCode::unauthenticated, "the token is not known");
    }
  }
  if (claimants.empty() || claimants.size() > kMaxClaimants) {
    return fail(ErrorCode::invalid_argument,
                "1 to " + std::to_string(kMaxClaimants) + " claimants at once");
  }
  return {};
}

}  // namespace

const PgStatement& claim_statement() {
  static const PgStatement claim{"job_claim", who_asks() + next_jobs() + lease_them(),
                                 Repeat::unsafe};
  return claim;
}

Error not_registered(const std::string& worker) {
  return fail(ErrorCode::not_found, "worker '" + worker +
                                        "' is not registered by this token: PUT /v1/workers/" +
                                        worker + " first");
}

Error holds_too_many(const std::string& worker) {
  return fail(ErrorCode::resource_exhausted,
              "worker '" + worker + "' holds " + std::to_string(kLargestHeat) +
                  " leases for each of its slots already: end some, or register more slots");
}

Async<Claims> JobStore::claim_many(std::vector<Claimant> claimants, std::int64_t lease_seconds) {
  HONE_CO_CHECK(check_claimants(claimants));
  PgParams params = claim_params(claimants, lease_seconds);
  HONE_CO_TRY(const PgResult answer, co_await pool_.execute(claim_statement(), std::move(params)));
  co_return read_claims(answer, lease_seconds);
}

Async<std::optional<Lease>> JobStore::claim(std::string worker, std::string token,
                                            std::int64_t lease_seconds, std::string beside) {
  const std::vector<Claimant> one{{worker, token}};
  HONE_CO_CHECK(check_claimants(one));
  Claims claims;
  if (!beside.empty()) {
    HONE_CO_CHECK(co_await check_held(pool_, beside, token));
    PgParams params = claim_params(one, lease_seconds);
    params.text(beside);
    HONE_CO_TRY(const PgResult answer, co_await pool_.execute(kClaimBeside, std::move(params)));
    claims = read_claims(answer, lease_seconds);
  } else {
    do {
      Result<Claims> again = co_await claim_many(one, lease_seconds);
      HONE_CO_TRY(claims, std::move(again));
    } while (claims.missed && !claims.each.front().lease);
  }
  if (claims.each.front().status == ClaimStatus::leased && !claims.each.front().lease) {
    co_return fail(ErrorCode::internal, "the job cannot be read; the log of honed has the details");
  }
  if (claims.each.front().status == ClaimStatus::not_registered) {
    co_return not_registered(worker);
  }
  if (claims.each.front().status == ClaimStatus::full) {
    co_return holds_too_many(worker);
  }
  co_return std::move(claims.each.front().lease);
}

}  // namespace hone
