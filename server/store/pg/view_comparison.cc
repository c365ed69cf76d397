// ViewStore: one job's baseline against its candidate, with all that explains the result.

#include <nlohmann/json.hpp>

#include "server/store/pg/records.h"
#include "server/store/pg/result_table.h"
#include "server/store/pg/rule_diff.h"
#include "server/store/pg/view_sql.h"
#include "server/store/view_store.h"

namespace hone {
namespace {

const PgStatement kJob{"view_comparison_job",
                       R"sql(
SELECT j.candidate AS candidate_number, coalesce(j.rules, k.rules) AS rules,
       coalesce(r.reused_attempt, r.attempt) AS samples_attempt,
       (SELECT j2.id FROM attempts a2 JOIN jobs j2 ON j2.number = a2.job
        WHERE a2.number = coalesce(r.reused_attempt, r.attempt)) AS samples_of,
       j.target_version, )sql" +
                           commit_of("v") + R"sql( AS commit, w.name AS worker,
       CASE WHEN k.number IS NOT NULL THEN json_build_object(
         'id', k.id, 'index', k.index, 'set', s.id,
         'set_number', (SELECT count(*) FROM candidate_sets o
                        WHERE o.campaign = k.campaign AND o.number < k.set),
         'origin', k.origin, 'note', nullif(k.note, ''), 'log_propensity', k.log_propensity,
         'finalist', array_position(c.finalists, k.id),
         'winner', coalesce(c.winner = k.number, false)) END AS candidate
FROM jobs j
JOIN target_versions v ON v.target = j.target AND v.version = j.target_version
LEFT JOIN candidates k ON k.number = j.candidate
LEFT JOIN candidate_sets s ON s.number = k.set
LEFT JOIN campaigns c ON c.number = j.campaign
LEFT JOIN results r ON r.job = j.number
LEFT JOIN attempts a ON a.number = coalesce(r.attempt, j.attempt)
LEFT JOIN workers w ON w.number = a.worker
WHERE j.id = $1::uuid)sql",
                       Repeat::safe, Planning::each_time};

const PgStatement kJobs{"view_comparison_jobs",
                        R"sql(
SELECT coalesce(json_agg(json_build_object(
         'id', j.id, 'stage', j.stage, 'baseline', j.baseline, 'state', j.state,
         'outcome', r.outcome, 'verdict', r.verdict, 'reward', )sql" +
                            reward_json("r") + R"sql(,
         'finished_at', rfc3339(j.finished_at), 'note', nullif(j.note, '')) ORDER BY j.number), '[]')
FROM jobs j LEFT JOIN results r ON r.job = j.number
WHERE j.id = $1::uuid OR j.candidate = $2)sql",
                        Repeat::safe, Planning::each_time};

const PgStatement kPolicies{"view_comparison_policies", R"sql(
SELECT coalesce(json_agg(json_build_object('version', version, 'promoted', promoted)
                         ORDER BY version), '[]')
FROM policies p
WHERE p.campaign = (SELECT campaign FROM candidates WHERE number = $1) AND p.candidate = $1)sql",
                            Repeat::safe, Planning::each_time};

// Grouped and not joined: an attempt's two roles side by side would be a look at each pair of its
// rows where the planner takes it to have few.
const PgStatement kPairs{"view_comparison_pairs", R"sql(
SELECT pair, input, metric, block, layout, baseline, candidate,
       CASE WHEN baseline > 0 AND candidate > 0 THEN ln(baseline / candidate) END AS log_ratio,
       candidate_position < baseline_position AS candidate_first
FROM (SELECT m.pair, m.input, m.metric,
             min(m.number) FILTER (WHERE m.role = 'baseline') AS number,
             min(m.block) FILTER (WHERE m.role = 'baseline') AS block,
             min(m.layout) FILTER (WHERE m.role = 'baseline') AS layout,
             min(m.value) FILTER (WHERE m.role = 'baseline') AS baseline,
             min(m.value) FILTER (WHERE m.role = 'candidate') AS candidate,
             min(m.position) FILTER (WHERE m.role = 'baseline') AS baseline_position,
             min(m.position) FILTER (WHERE m.role = 'candidate') AS candidate_position
      FROM measurements m WHERE m.attempt = $1
      GROUP BY m.pair, m.input, m.metric) AS sides
WHERE baseline IS NOT NULL AND candidate IS NOT NULL
ORDER BY number LIMIT 20000)sql",
                         Repeat::safe, Planning::each_time};

// Who a candidate may come from: proposers build on what did well, and do not say on what.
const PgStatement kElders{"view_comparison_elders",
                          R"sql(
SELECT k.id, k.index, k.note, k.rules, e.place,
       (SELECT count(*) FROM candidate_sets o WHERE o.campaign = k.campaign AND o.number < k.set)
         AS set_number, e.reward_document
FROM (
  SELECT j.candidate, row_number() OVER (ORDER BY r.reward DESC, j.number) AS place,
         )sql" + reward_json("r") +
                              R"sql( AS reward_document
  FROM candidates me
  JOIN candidate_sets s ON s.number = me.set
  JOIN jobs j ON j.campaign = me.campaign AND j.stage = 'race'
  JOIN results r ON r.job = j.number
  WHERE me.number = $1 AND r.reward IS NOT NULL AND r.created_at < s.created_at
  ORDER BY r.reward DESC, j.number LIMIT 20) AS e
JOIN candidates k ON k.number = e.candidate
ORDER BY e.place)sql",
                          Repeat::safe, Planning::each_time};

const PgStatement kCandidateJobs{"view_candidate_jobs", R"sql(
SELECT k.id AS candidate, race.id AS race, confirm.id AS confirm,
       coalesce(confirm.state = 'done', false) AS is_confirmed
FROM candidates k
LEFT JOIN jobs race ON race.candidate = k.number AND race.stage = 'race'
LEFT JOIN jobs confirm ON confirm.candidate = k.number AND confirm.stage = 'confirm'
WHERE k.id = $1::uuid)sql",
                                 Repeat::safe, Planning::each_time};

// Of those, the one with the fewest differing rules; of several the best.
Json parent_of(const PgResult& elders, const Json& rules) {
  Json parent;
  std::size_t nearest = 0;
  for (int i = 0; i < elders.size(); ++i) {
    const PgRow row = elders.row(i);
    Json theirs = row.json("rules");
    const std::size_t distance = rule_distance(theirs, rules);
    if (!parent.is_null() && distance >= nearest) {
      continue;
    }
    nearest = distance;
    parent = Json{{"id", row.text("id")},
                  {"index", row.integer("index")},
                  {"set_number", row.integer("set_number")},
                  {"note", row.view("note").empty() ? Json() : Json(row.text("note"))},
                  {"reward", row.json("reward_document")},
                  {"rules", std::move(theirs)},
                  {"why", "nearest of the best that were measured before it was proposed"}};
  }
  return parent;
}

constexpr const char* kNoPairs = R"({"rows":0,"columns":{"pair":[],"input":[],"metric":[],)"
                                 R"("block":[],"layout":[],"baseline":[],"candidate":[],)"
                                 R"("log_ratio":[],"candidate_first":[]}})";

}  // namespace

Async<std::string> ViewStore::job_of_candidate(std::string candidate, std::optional<Stage> stage) {
  if (!is_uuid(candidate)) {
    co_return no_such("candidate", candidate);
  }
  PgParams params;
  params.text(candidate);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kCandidateJobs, std::move(params)));
  if (found.empty()) {
    co_return no_such("candidate", candidate);
  }
  const PgRow row = found.first();
  const Stage wanted = stage.value_or(row.truth("is_confirmed") ? Stage::confirm : Stage::race);
  const std::string column(to_string(wanted));
  if (row.is_null(column.c_str())) {
    co_return fail(ErrorCode::not_found, "candidate '" + candidate + "' has no " + column + " job");
  }
  co_return row.text(column.c_str());
}

Async<std::string> ViewStore::comparison(std::string id, std::string job_json) {
  PgParams of_job;
  of_job.text(id);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kJob, of_job));
  if (found.empty()) {
    co_return no_such("job", id);
  }
  const PgRow row = found.first();
  const std::optional<std::int64_t> candidate = row.optional_integer("candidate_number");
  Json head{{"target_version", row.integer("target_version")},
            {"commit", row.is_null("commit") ? Json() : Json(row.text("commit"))},
            {"worker", row.is_null("worker") ? Json() : Json(row.text("worker"))},
            {"candidate", row.is_null("candidate") ? Json() : row.json("candidate")},
            {"samples_of", Json()},
            {"parent", Json()}};
  of_job.integer(candidate);
  Result<std::string> jobs = co_await one_document(pool_, kJobs, std::move(of_job));
  HONE_CO_CHECK(jobs);
  PgParams of_candidate;
  of_candidate.integer(candidate);
  Result<std::string> policies = co_await one_document(pool_, kPolicies, of_candidate);
  HONE_CO_CHECK(policies);
  if (candidate) {
    HONE_CO_TRY(const PgResult elders, co_await pool_.execute(kElders, std::move(of_candidate)));
    head["parent"] = parent_of(elders, row.json("rules"));
  }
  std::string pairs = kNoPairs;
  if (const std::optional<std::int64_t> attempt = row.optional_integer("samples_attempt")) {
    head["samples_of"] = row.text("samples_of");
    PgParams of_attempt;
    of_attempt.integer(*attempt);
    HONE_CO_TRY(const PgResult measured, co_await pool_.execute(kPairs, std::move(of_attempt)));
    pairs = columns_json(measured);
  }
  std::string document = dump_json(head);
  document.pop_back();
  document += ",\"job\":" + job_json + ",\"jobs\":" + *jobs + ",\"policies\":" + *policies +
              ",\"pairs\":" + pairs + "}";
  co_return document;
}

}  // namespace hone
