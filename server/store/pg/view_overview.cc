// ViewStore: the overview, one document of its five tables.

#include "server/store/pg/late_job.h"
#include "server/store/pg/view_sql.h"
#include "server/store/pg/worker_life.h"
#include "server/store/view_store.h"

namespace hone {
namespace {

// Gains that a confirm job showed; the best of each target, and what each ended campaign came to.
std::string targets_json() {
  return R"sql(
(SELECT coalesce(json_agg(row_to_json(shown) ORDER BY shown.name), '[]') FROM (
  SELECT t.name, t.version, )sql" +
         metric_of("v") + " AS metric, " + commit_of("v") + R"sql( AS commit,
         rfc3339(t.created_at) AS created_at, rfc3339(v.created_at) AS updated_at,
         (SELECT count(*) FROM campaigns c WHERE c.target = t.number) AS campaigns,
         (SELECT count(*) FROM campaigns c WHERE c.target = t.number AND c.finished_at IS NULL)
           AS running,
         (SELECT count(*) FROM policies p WHERE p.target = t.number) AS policies,
         (SELECT p.version FROM policies p WHERE p.target = t.number AND p.promoted)
           AS promoted_version,
         (SELECT row_to_json(gain) FROM (
            SELECT c.id AS campaign, k.id AS candidate, j.id AS job, c.baseline, c.policy_version,
                   rfc3339(c.finished_at) AS at, )sql" +
         reward_json("r") + R"sql( AS reward
            FROM campaigns c
            JOIN candidates k ON k.number = c.winner
            JOIN jobs j ON j.candidate = c.winner AND j.stage = 'confirm'
            JOIN results r ON r.job = j.number
            WHERE c.target = t.number AND r.reward IS NOT NULL
            ORDER BY r.reward DESC, c.number LIMIT 1) AS gain) AS best,
         (SELECT rfc3339(max(h.last_at)) FROM history_hours h WHERE h.target = t.number)
           AS last_measured_at
  FROM targets t JOIN target_versions v ON v.target = t.number AND v.version = t.version
  WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
  ORDER BY t.name LIMIT 1000) AS shown))sql";
}

std::string trend_json() {
  return R"sql(
(SELECT coalesce(json_agg(json_build_object(
          'target', t.name, 'campaign', e.id, 'at', rfc3339(e.finished_at),
          'target_version', e.target_version, 'commit', )sql" +
         commit_of("v") + R"sql(, 'baseline', e.baseline, 'state', e.state, 'reward', r.reward,
          'low', r.reward_low, 'high', r.reward_high, 'policy_version', e.policy_version)
          ORDER BY t.name, e.finished_at, e.number), '[]')
 FROM targets t
 CROSS JOIN LATERAL (
   SELECT * FROM campaigns c WHERE c.target = t.number AND c.finished_at IS NOT NULL
   ORDER BY c.finished_at DESC LIMIT 30) AS e
 JOIN target_versions v ON v.target = e.target AND v.version = e.target_version
 LEFT JOIN jobs j ON j.candidate = e.winner AND j.stage = 'confirm'
 LEFT JOIN results r ON r.job = j.number
 WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))))sql";
}

std::string campaigns_json() {
  return R"sql(
(SELECT coalesce(json_agg(row_to_json(shown)), '[]') FROM (
  SELECT c.id, t.name AS target, c.state, c.baseline, rfc3339(c.created_at) AS created_at,
         rfc3339(c.racing_at) AS racing_at, c.budget_candidates, c.budget_seconds,
         (SELECT count(*) FROM candidates k WHERE k.campaign = c.number) AS candidates,
         race.finished, race.failed, race.late, race.unfinished, )sql" +
         progress() + " AS progress, " + estimated_end() + R"sql( AS estimated_end,
         best.id AS best_candidate, )sql" +
         reward_json("r") + R"sql( AS best
  FROM campaigns c
  JOIN targets t ON t.number = c.target
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE j.state = 'done' OR )sql" +
         gave_up_sql("j") + R"sql() AS finished,
           count(*) FILTER (WHERE r.outcome <> 'ok' OR )sql" +
         gave_up_sql("j") + ") AS failed, count(*) FILTER (WHERE " + is_late_sql("j") +
         R"sql() AS late,
           count(*) FILTER (WHERE j.state IN ('queued', 'leased')) AS unfinished,
           max(ARRAY[r.reward, -j.number]) FILTER (WHERE r.reward IS NOT NULL) AS best
    FROM jobs j LEFT JOIN results r ON r.job = j.number
    WHERE j.campaign = c.number AND j.stage = 'race') AS race
  LEFT JOIN jobs top ON top.number = (-race.best[2])::bigint
  LEFT JOIN candidates best ON best.number = top.candidate
  LEFT JOIN results r ON r.job = top.number
  WHERE c.finished_at IS NULL AND ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
  ORDER BY c.number DESC LIMIT 50) AS shown))sql";
}

std::string fleet_json() {
  return std::string(R"sql(
(SELECT json_build_object(
   'workers', count(*), 'alive', count(*) FILTER (WHERE )sql") +
         is_there_sql("w") + R"sql(),
   'drained', count(*) FILTER (WHERE w.drained_at IS NOT NULL),
   'unfit', count(*) FILTER (WHERE EXISTS (
     SELECT FROM worker_fitness f JOIN targets t ON t.number = f.target
     WHERE f.worker = w.number AND f.unfit_reason IS NOT NULL
       AND ($1::text[] IS NULL OR t.name = ANY ($1::text[])))),
   'slots', coalesce(sum(w.slots) FILTER (WHERE )sql" +
         is_there_sql("w") + R"sql(), 0),
   'busy', (SELECT count(*) FROM attempts a WHERE a.state = 'leased'),
   'queued', count_jobs('queued'),
   'leased', (SELECT count(*) FROM jobs j WHERE j.state = 'leased'))
 FROM workers w WHERE NOT )sql" +
         has_left_sql("w") + ")";
}

// Kinds of things that somebody should look at, each by itself and the newest first; at most 100.
const std::string kAttention = R"sql(
(SELECT coalesce(json_agg(json_build_object(
          'kind', kind, 'at', rfc3339(at), 'target', target, 'worker', worker,
          'campaign', campaign, 'candidate', candidate, 'job', job, 'source', source,
          'canary', canary, 'count', count, 'text', text) ORDER BY at DESC), '[]')
 FROM (
  SELECT * FROM (
   (SELECT 'regression' AS kind, s.at, t.name AS target, w.name AS worker, c.id AS campaign,
           k.id AS candidate, j.id AS job, NULL::text AS source, 1::bigint AS count,
           'confirmed slower than ' || s.baseline AS text, NULL::uuid AS canary
    FROM result_summaries s
    JOIN results r ON r.attempt = s.attempt
    JOIN jobs j ON j.number = r.job
    JOIN targets t ON t.number = s.target
    JOIN workers w ON w.number = s.worker
    LEFT JOIN campaigns c ON c.number = j.campaign
    LEFT JOIN candidates k ON k.number = j.candidate
    WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
      AND s.stage = 'confirm' AND s.verdict = 'slower' AND s.at > now() - interval '14 days'
    ORDER BY s.at DESC LIMIT 20)
   UNION ALL
   (SELECT 'failed_campaign', c.finished_at, t.name, NULL, c.id, NULL, NULL, NULL, 1, c.reason, NULL
    FROM campaigns c JOIN targets t ON t.number = c.target
    WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
      AND c.state = 'failed' AND c.finished_at > now() - interval '14 days'
    ORDER BY c.finished_at DESC LIMIT 20)
   UNION ALL
   (SELECT 'failed_job', j.finished_at, t.name, NULL, c.id, k.id, j.id, NULL, 1, j.reason, NULL
    FROM jobs j JOIN targets t ON t.number = j.target
    LEFT JOIN campaigns c ON c.number = j.campaign
    LEFT JOIN candidates k ON k.number = j.candidate
    WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
      AND )sql" + gave_up_sql("j") +
                               R"sql( AND j.finished_at > now() - interval '14 days'
    ORDER BY j.finished_at DESC LIMIT 20)
   UNION ALL
   (SELECT 'failed_candidates', max(f.created_at), t.name, NULL, max(c.id::text)::uuid,
           max(k.id::text)::uuid, max(j.id::text)::uuid, NULL, count(*),
           f.outcome || ': ' || max(f.reason), NULL
    FROM (SELECT job, outcome, left(reason, 300) AS reason, created_at FROM results
          WHERE outcome <> 'ok' AND created_at > now() - interval '14 days'
          ORDER BY created_at DESC LIMIT 2000) AS f
    JOIN jobs j ON j.number = f.job
    JOIN targets t ON t.number = j.target
    LEFT JOIN campaigns c ON c.number = j.campaign
    LEFT JOIN candidates k ON k.number = j.candidate
    WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
    GROUP BY t.name, f.outcome
    ORDER BY 2 DESC LIMIT 20)
   UNION ALL
   (SELECT CASE WHEN f.unfit_reason IS NULL THEN 'noisy_worker' ELSE 'unfit_worker' END,
           f.checked_at, t.name, w.name, NULL, NULL, NULL, NULL, f.bad_in_a_row,
           coalesce(f.unfit_reason, 'its last self-check was ' || s.verdict), NULL
    FROM worker_fitness f
    JOIN self_checks s ON s.attempt = f.self_check
    JOIN workers w ON w.number = f.worker
    JOIN targets t ON t.number = f.target AND t.version = f.target_version
    WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
      AND (f.unfit_reason IS NOT NULL OR s.verdict IN ('too_noisy', 'faster', 'slower'))
      AND f.checked_at > now() - interval '14 days'
    ORDER BY f.checked_at DESC LIMIT 20)
   UNION ALL
   (SELECT 'lost_worker', w.last_seen_at, NULL, w.name, NULL, NULL, NULL, NULL, 1,
           'was not seen since', NULL
    FROM workers w
    WHERE w.last_seen_at > now() - interval '14 days' AND NOT )sql" +
                               is_there_sql("w") + " AND NOT " + has_left_sql("w") + R"sql(
    ORDER BY w.last_seen_at DESC LIMIT 20)
   UNION ALL
   (SELECT 'fell_back', max(r.created_at), t.name, NULL, NULL, NULL, max(j.id::text)::uuid,
           d.source, count(*), max(d.reason), NULL
    FROM (SELECT attempt, source, left(reason, 300) AS reason FROM decisions
          WHERE meant AND NOT tuned ORDER BY attempt DESC LIMIT 2000) AS d
    JOIN results r ON r.attempt = d.attempt
    JOIN jobs j ON j.number = r.job
    JOIN targets t ON t.number = j.target
    WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
      AND r.created_at > now() - interval '14 days'
    GROUP BY t.name, d.source
    ORDER BY 2 DESC LIMIT 20)
   UNION ALL
   (SELECT CASE WHEN c.state = 'judged' THEN 'waiting_canary' ELSE 'rolled_back_canary' END,
           coalesce(c.ended_at,
                    (SELECT max(d.at) FROM canary_decisions d WHERE d.canary = c.number)),
           t.name, NULL, NULL, NULL, NULL, 'policy v' || c.policy_version, 1, c.reason, c.id
    FROM canaries c JOIN targets t ON t.number = c.target
    WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
      AND ((c.state = 'rolled_back' AND c.ended_at > now() - interval '14 days')
           OR (c.state = 'judged' AND (c.spec #>> '{ramp,approval}' = 'by_hand'
                                       OR starts_with(c.reason, 'waits: '))))
    ORDER BY c.number DESC LIMIT 20)
   UNION ALL
   (SELECT 'spent_budget', s.spent_since, t.name, NULL, NULL, NULL, NULL, NULL, 1,
           'the error budget is spent: nothing is explored until its window moves on',
           (SELECT c.id FROM canaries c WHERE c.target = s.target AND c.cause = 'budget'
              AND c.ended_at >= s.spent_since - interval '1 minute'
            ORDER BY c.number DESC LIMIT 1)
    FROM services s JOIN targets t ON t.number = s.target
    WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[])) AND )sql" +
                               budget_is_spent_sql("s") + R"sql(
    ORDER BY 2 DESC LIMIT 20)) AS each
  ORDER BY at DESC LIMIT 100) AS newest))sql";

const PgStatement kOverview{"view_overview",
                            "SELECT json_build_object('now', rfc3339(now()), 'targets', " +
                                targets_json() + ", 'trend', " + trend_json() + ", 'campaigns', " +
                                campaigns_json() + ", 'fleet', " + fleet_json() +
                                ", 'attention', " + kAttention + ")",
                            Repeat::safe, Planning::each_time};

}  // namespace

Async<std::string> ViewStore::overview(Reader reader) {
  PgParams seen;
  seen.text_array(reader.targets);
  Result<std::string> document = co_await one_document(pool_, kOverview, std::move(seen));
  co_return document;
}

}  // namespace hone
