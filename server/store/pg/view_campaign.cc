// ViewStore: a campaign with all its candidates, as columns.

#include <nlohmann/json.hpp>

#include "server/store/campaign_store.h"
#include "server/store/pg/late_job.h"
#include "server/store/pg/records.h"
#include "server/store/pg/result_table.h"
#include "server/store/pg/view_sql.h"
#include "server/store/view_store.h"

namespace hone {
namespace {

const PgStatement kMore{"view_campaign_more",
                        R"sql(
SELECT c.number, rfc3339(now()) AS now, c.target_version, rfc3339(c.racing_at) AS racing_at,
       rfc3339(c.confirming_at) AS confirming_at, )sql" +
                            commit_of("v") + " AS commit, " + metric_of("v") + " AS metric, " +
                            progress() + " AS progress, " + estimated_end() +
                            R"sql( AS estimated_end
FROM campaigns c
JOIN target_versions v ON v.target = c.target AND v.version = c.target_version
CROSS JOIN (SELECT $2::bigint AS finished, $3::bigint AS unfinished) AS race
WHERE c.id = $1::uuid)sql",
                        Repeat::safe};

const PgStatement kSets{"view_campaign_sets", R"sql(
SELECT coalesce(json_agg(json_build_object(
         'id', s.id, 'number', s.place, 'generator', s.generator, 'scheme', s.scheme,
         'created_at', rfc3339(s.created_at), 'candidates', s.candidates) ORDER BY s.place), '[]')
FROM (SELECT s.*, row_number() OVER (ORDER BY s.number) - 1 AS place,
             (SELECT count(*) FROM candidates k WHERE k.set = s.number) AS candidates
      FROM candidate_sets s WHERE s.campaign = $1) AS s)sql",
                        Repeat::safe};

const std::string kCandidates =
    R"sql(
WITH sets AS (
  SELECT number, row_number() OVER (ORDER BY number) - 1 AS place, created_at
  FROM candidate_sets WHERE campaign = $1
), mine AS MATERIALIZED (
  SELECT number, id, set, index, origin, note, jsonb_array_length(rules) AS rules, log_propensity
  FROM candidates WHERE campaign = $1
), raced AS MATERIALIZED (
  SELECT j.candidate, CASE WHEN )sql" +
    is_late_sql("j") + R"sql( THEN 'late' ELSE j.state::text END AS state,
         j.finished_at, j.reason AS job_reason, r.outcome, r.reason,
         r.verdict, r.reward, r.reward_low, r.reward_high, r.reward_pairs, r.reward_noise,
         r.created_at, r.build_seconds, r.measure_seconds, r.text_bytes, r.baseline_text_bytes
  FROM jobs j LEFT JOIN results r ON r.job = j.number
  WHERE j.campaign = $1 AND j.stage = 'race'
), confirmed AS MATERIALIZED (
  SELECT j.candidate, j.state, j.created_at, j.finished_at, r.verdict, r.reward, r.reward_low,
         r.reward_high, r.created_at AS measured_at
  FROM jobs j LEFT JOIN results r ON r.job = j.number
  WHERE j.campaign = $1 AND j.stage = 'confirm'
)
SELECT k.id, s.place AS set, k.index, k.origin, nullif(k.note, '') AS note,
       k.rules, k.log_propensity::real,
       array_position((SELECT finalists FROM campaigns WHERE number = $1), k.id) AS finalist,
       r.state, r.outcome,
       left(CASE WHEN r.state = 'done' THEN nullif(r.reason, '') ELSE nullif(r.job_reason, '') END,
            200) AS reason,
       r.verdict, r.reward::real, r.reward_low::real AS low, r.reward_high::real AS high,
       r.reward_pairs AS pairs, r.reward_noise::real AS noise, )sql" +
    milliseconds("r.created_at") +
    R"sql( AS measured_at, r.build_seconds::real, r.measure_seconds::real,
       r.text_bytes, r.baseline_text_bytes, c.state AS confirm_state, c.verdict AS confirm_verdict,
       c.reward::real AS confirm_reward, c.reward_low::real AS confirm_low,
       c.reward_high::real AS confirm_high, )sql" +
    milliseconds("c.measured_at") + R"sql( AS confirmed_at
FROM mine k
JOIN sets s ON s.number = k.set
LEFT JOIN raced r ON r.candidate = k.number
LEFT JOIN confirmed c ON c.candidate = k.number)sql";

const PgStatement kAll{"view_campaign_candidates", kCandidates + " ORDER BY k.set, k.index",
                       Repeat::safe};
// Only those whose set or job was made, or whose job ended, since then. A lease changes no time of
// a job, so what is leased counts always.
const PgStatement kSince{"view_campaign_candidates_since", kCandidates + R"sql(
WHERE s.created_at >= to_timestamp($2::double precision / 1000)
   OR k.number IN (SELECT j.candidate FROM jobs j
                   WHERE j.campaign = $1
                     AND (j.state = 'leased'
                          OR greatest(j.created_at, j.finished_at)
                             >= to_timestamp($2::double precision / 1000)))
ORDER BY k.set, k.index)sql",
                         Repeat::safe};

Json text_or_null(const PgRow& row, const char* column) {
  return row.is_null(column) ? Json() : Json(row.text(column));
}

}  // namespace

Async<std::string> ViewStore::campaign(std::string id, std::optional<std::int64_t> since) {
  CampaignStore campaigns(pool_);
  Result<CampaignView> view = co_await campaigns.find(id);
  HONE_CO_TRY(const CampaignView campaign, std::move(view));
  PgParams wanted;
  wanted.text(id).integer(campaign.finished).integer(campaign.unfinished);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kMore, std::move(wanted)));
  if (found.empty()) {
    co_return no_such("campaign", id);
  }
  const PgRow row = found.first();
  Json head = to_json(campaign);
  head["target_version"] = row.integer("target_version");
  head["metric"] = row.text("metric");
  head["progress"] = row.is_null("progress") ? Json() : Json(row.number("progress"));
  for (const char* column : {"commit", "racing_at", "confirming_at", "estimated_end"}) {
    head[column] = text_or_null(row, column);
  }
  PgParams number;
  number.integer(row.integer("number"));
  PgParams of_sets = number;
  Result<std::string> sets = co_await one_document(pool_, kSets, std::move(of_sets));
  HONE_CO_CHECK(sets);
  if (since) {
    number.integer(*since);
  }
  HONE_CO_TRY(const PgResult candidates,
              co_await pool_.execute(since ? kSince : kAll, std::move(number)));
  std::string document = "{\"now\":" + dump_json(Json(row.text("now")));
  document += ",\"campaign\":" + dump_json(head);
  document += ",\"sets\":" + *sets;
  document += ",\"candidates\":" + columns_json(candidates) + "}";
  co_return document;
}

}  // namespace hone
