// ViewStore: workers, and what their self-checks said over time.

#include "server/store/pg/result_table.h"
#include "server/store/pg/view_sql.h"
#include "server/store/pg/worker_life.h"
#include "server/store/view_store.h"

namespace hone {
namespace {

const PgStatement kWorkers{"view_fleet",
                           R"sql(
SELECT coalesce(json_agg(row_to_json(shown) ORDER BY shown.name), '[]') FROM (
  SELECT w.name, w.machine, w.labels, w.slots, w.version, rfc3339(w.registered_at) AS registered_at,
         rfc3339(w.last_seen_at) AS last_seen_at,
         )sql" + is_there_sql("w") +
                               " AS alive, CASE WHEN " + has_left_sql("w") +
                               R"sql( THEN rfc3339(w.left_at) END AS left_at,
         rfc3339(w.drained_at) AS drained_at,
         (SELECT coalesce(json_agg(json_build_object(
                   'id', j.id, 'target', t.name, 'campaign', c.id, 'candidate', k.id,
                   'stage', j.stage, 'leased_at', rfc3339(a.leased_at)) ORDER BY a.number), '[]')
          FROM attempts a
          JOIN jobs j ON j.number = a.job
          JOIN targets t ON t.number = j.target
          LEFT JOIN campaigns c ON c.number = j.campaign
          LEFT JOIN candidates k ON k.number = j.candidate
          WHERE a.worker = w.number AND a.state = 'leased'
            AND ($1::text[] IS NULL OR t.name = ANY ($1::text[]))) AS jobs,
         coalesce(day.results, 0) AS results_24h, coalesce(day.failures, 0) AS failures_24h,
         (SELECT coalesce(json_agg(json_build_object(
                   'target', t.name, 'target_version', f.target_version, 'verdict', s.verdict,
                   'reward', )sql" +
                               reward_json("s") +
                               R"sql(,
                   'baseline_value', s.baseline_value, 'drift', f.drift,
                   'checked_at', rfc3339(s.checked_at), 'unfit_reason', f.unfit_reason)
                 ORDER BY t.name, f.target_version), '[]')
          FROM worker_fitness f
          JOIN self_checks s ON s.attempt = f.self_check
          JOIN targets t ON t.number = f.target
          WHERE f.worker = w.number AND ($1::text[] IS NULL OR t.name = ANY ($1::text[]))) AS checks
  FROM workers w
  LEFT JOIN (
    SELECT a.worker, count(*) AS results, count(*) FILTER (WHERE r.outcome <> 'ok') AS failures
    FROM results r JOIN attempts a ON a.number = r.attempt
    WHERE r.created_at > now() - interval '24 hours'
      AND ($1::text[] IS NULL
           OR EXISTS (SELECT FROM jobs j JOIN targets t ON t.number = j.target
                      WHERE j.number = r.job AND t.name = ANY ($1::text[])))
    GROUP BY a.worker) AS day ON day.worker = w.number
  ORDER BY w.name LIMIT 1000) AS shown)sql",
                           Repeat::safe, Planning::each_time};

const PgStatement kChecks{"view_fleet_checks",
                          R"sql(
SELECT w.name AS worker, t.name AS target, s.target_version AS version, )sql" +
                              milliseconds("s.checked_at") + R"sql( AS at, s.reward_noise AS noise,
       s.reward, s.reward_low AS low, s.reward_high AS high,
       s.reward_detectable_effect AS detectable_effect, s.verdict, s.baseline_value
FROM workers w
CROSS JOIN LATERAL (
  SELECT * FROM self_checks s WHERE s.worker = w.number
  ORDER BY s.checked_at DESC LIMIT 200) AS s
JOIN targets t ON t.number = s.target
WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
ORDER BY s.checked_at, w.name
LIMIT 20000)sql",
                          Repeat::safe, Planning::each_time};

const PgStatement kNow{"view_fleet_now", "SELECT to_json(rfc3339(now()))", Repeat::safe,
                       Planning::each_time};

}  // namespace

Async<std::string> ViewStore::fleet(Reader reader) {
  PgParams seen;
  seen.text_array(reader.targets);
  Result<std::string> now = co_await one_document(pool_, kNow, PgParams());
  HONE_CO_CHECK(now);
  Result<std::string> workers = co_await one_document(pool_, kWorkers, seen);
  HONE_CO_CHECK(workers);
  HONE_CO_TRY(const PgResult checks, co_await pool_.execute(kChecks, std::move(seen)));
  co_return "{\"now\":" + *now + ",\"workers\":" + *workers +
      ",\"checks\":" + columns_json(checks) + "}";
}

}  // namespace hone
