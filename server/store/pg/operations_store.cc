#include "server/store/operations_store.h"

#include "server/store/pg/pg_pool.h"
#include "server/store/pg/worker_life.h"
#include "server/store/worker_fitness.h"

namespace hone {
namespace {

// Strands (priority, lane, target and version) are found by hopping along the queue's index, as a
// claim does: a look-up each, however many jobs are queued. Each one's first job is its oldest.
const PgStatement kGauges{"operation_gauges",
                          R"sql(
WITH RECURSIVE strands (urgency, lane, target, target_version, created_at) AS (
  (SELECT -priority, lane, target, target_version, created_at FROM jobs
   WHERE state = 'queued' AND not_before IS NULL
   ORDER BY -priority, lane, target, target_version, number LIMIT 1)
  UNION ALL
  SELECT next.urgency, next.lane, next.target, next.target_version, next.created_at
  FROM strands s, LATERAL (
    SELECT -priority AS urgency, lane, target, target_version, created_at FROM jobs
    WHERE state = 'queued' AND not_before IS NULL
      AND (-priority, lane, target, target_version)
          > (s.urgency, s.lane, s.target, s.target_version)
    ORDER BY -priority, lane, target, target_version, number LIMIT 1) AS next
), heads AS MATERIALIZED (
  SELECT created_at FROM strands
  UNION ALL
  (SELECT created_at FROM jobs WHERE state = 'queued' AND not_before IS NOT NULL
   ORDER BY not_before LIMIT 1)
)
SELECT 'queued' AS name, priority::text AS label, count(*)::double precision AS value
FROM (SELECT priority FROM jobs WHERE state = 'queued' AND not_before IS NULL
      ORDER BY -priority, lane, target, target_version, number LIMIT $1) AS first
GROUP BY priority
UNION ALL
SELECT 'oldest', '', coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM heads
UNION ALL
SELECT 'leases', '', count(*) FROM jobs WHERE state = 'leased'
UNION ALL
SELECT 'workers', CASE WHEN )sql" +
                              has_left_sql("w") + " THEN 'left' WHEN NOT " + is_there_sql("w") +
                              R"sql( THEN 'silent'
                       WHEN drained_at IS NOT NULL THEN 'drained' ELSE 'live' END, count(*)
FROM workers w WHERE last_seen_at > now() - interval '1 day' GROUP BY 2
UNION ALL
SELECT 'unfit', '', count(DISTINCT worker) FROM worker_fitness
WHERE unfit_reason IS NOT NULL AND checked_at > now() - $2 * interval '1 second'
UNION ALL
SELECT 'campaigns', s.state::text, count(c.number)
FROM unnest(enum_range(NULL::campaign_state)) AS s (state) LEFT JOIN campaigns c ON c.state = s.state
GROUP BY s.state
UNION ALL
SELECT 'artifacts', '', count(*) FROM artifacts
UNION ALL
SELECT 'artifact_bytes', '', coalesce(sum(size_bytes), 0) FROM artifacts
UNION ALL
SELECT 'database_bytes', '', pg_database_size(current_database()))sql",
                          Repeat::safe};

const PgStatement kCanaryGauges{"operation_canary_gauges", R"sql(
SELECT 'state' AS name, s.state::text AS label, count(c.number)::double precision AS value
FROM unnest(enum_range(NULL::canary_state)) AS s (state) LEFT JOIN canaries c ON c.state = s.state
GROUP BY s.state
UNION ALL
SELECT 'share', t.name, c.share FROM canaries c JOIN targets t ON t.number = c.target
WHERE c.ended_at IS NULL
UNION ALL
SELECT 'lost', t.name, c.lost_windows FROM canaries c JOIN targets t ON t.number = c.target
WHERE c.ended_at IS NULL
UNION ALL
SELECT 'budget', t.name, (s.budget ->> 'left_share')::double precision
FROM services s JOIN targets t ON t.number = s.target
WHERE s.budget ->> 'left_share' IS NOT NULL
UNION ALL
SELECT 'budgets', CASE WHEN s.budget_at IS NULL OR s.budget_at < now() - $1 * interval '1 second'
                       THEN 'unknown'
                       WHEN (s.budget ->> 'spent')::boolean THEN 'spent' ELSE 'left' END, count(*)
FROM services s GROUP BY 2
UNION ALL
SELECT 'missing', '', count(*) FROM canaries c
WHERE c.ended_at IS NOT NULL AND NOT EXISTS (SELECT FROM experiences e WHERE e.canary = c.number)
UNION ALL
SELECT 'reward', t.name, last.value
FROM services s JOIN targets t ON t.number = s.target, LATERAL (
  SELECT (e.line::jsonb #>> '{reward,value}')::double precision AS value
  FROM canaries c JOIN experiences e ON e.canary = c.number
  WHERE c.target = s.target AND e.line::jsonb #>> '{reward,value}' IS NOT NULL
  ORDER BY c.number DESC LIMIT 1) AS last)sql",
                                Repeat::safe};

}  // namespace

Async<OperationGauges> OperationsStore::gauges() {
  PgParams params;
  params.integer(kMostCounted).integer(kUnfitSeconds);
  HONE_CO_TRY(const PgResult rows, co_await pool_.execute(kGauges, std::move(params)));
  OperationGauges gauges;
  for (int i = 0; i < rows.size(); ++i) {
    const PgRow row = rows.row(i);
    const std::string name = row.text("name");
    const std::string label = row.text("label");
    const double value = row.number("value");
    const auto count = static_cast<std::int64_t>(value);
    if (name == "queued") {
      gauges.queued_by_priority[std::stoll(label)] = count;
    } else if (name == "oldest") {
      gauges.oldest_queued_seconds = value;
    } else if (name == "leases") {
      gauges.leases = count;
    } else if (name == "workers") {
      (label == "live"      ? gauges.workers_live
       : label == "drained" ? gauges.workers_drained
       : label == "left"    ? gauges.workers_left
                            : gauges.workers_silent) = count;
    } else if (name == "unfit") {
      gauges.workers_unfit = count;
    } else if (name == "campaigns") {
      gauges.campaigns[label] = count;
    } else if (name == "artifacts") {
      gauges.artifacts = count;
    } else if (name == "artifact_bytes") {
      gauges.artifact_bytes = count;
    } else if (name == "database_bytes") {
      gauges.database_bytes = count;
    }
  }
  co_return gauges;
}

Async<CanaryGauges> OperationsStore::canary_gauges() {
  PgParams params;
  params.integer(kBudgetAgeSeconds);
  HONE_CO_TRY(const PgResult rows, co_await pool_.execute(kCanaryGauges, std::move(params)));
  CanaryGauges gauges;
  for (int i = 0; i < rows.size(); ++i) {
    const PgRow row = rows.row(i);
    const std::string name = row.text("name");
    const std::string label = row.text("label");
    const double value = row.number("value");
    const auto count = static_cast<std::int64_t>(value);
    if (name == "state") {
      gauges.by_state[label] = count;
    } else if (name == "share") {
      gauges.share[label] = count;
    } else if (name == "lost") {
      gauges.lost_windows[label] = count;
    } else if (name == "budget") {
      gauges.budget_left[label] = value;
    } else if (name == "budgets") {
      (label == "left"    ? gauges.budgets_left
       : label == "spent" ? gauges.budgets_spent
                          : gauges.budgets_unknown) = count;
    } else if (name == "missing") {
      gauges.rewards_missing = count;
    } else if (name == "reward") {
      gauges.reward[label] = value;
    }
  }
  co_return gauges;
}

}  // namespace hone
