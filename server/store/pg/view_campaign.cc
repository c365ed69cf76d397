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
                        Repeat::safe, Planning::each_time};

const PgStatement kSets{"view_campaign_sets", R"sql(
SELECT coalesce(json_agg(json_build_object(
         'id', s.id, 'number', s.place, 'generator', s.generator, 'scheme', s.scheme,
         'created_at', rfc3339(s.created_at), 'candidates', s.candidates) ORDER BY s.place), '[]')
FROM (SELECT s.*, row_number() OVER (ORDER BY s.number) - 1 AS place,
             (SELECT count(*) FROM candidates k WHERE k.set = s.number) AS candidates
      FROM candidate_sets s WHERE s.campaign = $1) AS s)sql",
                        Repeat::safe, Planning::each_time};

// No condition on the campaign but where its sets and candidates are found: a candidate's jobs and
// results have an index of their own, which a planner that takes the campaign to have one job would
// pass over for that of the campaign's jobs, and read all of these for each candidate.
const std::string kCandidates =
    R"sql(
WITH sets AS MATERIALIZED (
  SELECT number, row_number() OVER (ORDER BY number) - 1 AS place, created_at
  FROM candidate_sets WHERE campaign = $1
)
SELECT k.id, s.place AS set, k.index, k.origin, nullif(k.note, '') AS note,
       jsonb_array_length(k.rules) AS rules, k.log_propensity::real,
       array_position((SELECT finalists FROM campaigns WHERE number = $1), k.id) AS finalist,
       CASE WHEN )sql" +
    is_late_sql("race") + R"sql( THEN 'late' ELSE race.state::text END AS state, r.outcome,
       left(CASE WHEN race.state = 'done' THEN nullif(r.reason, '') ELSE nullif(race.reason, '') END,
            200) AS reason,
       r.verdict, r.reward::real, r.reward_low::real AS low, r.reward_high::real AS high,
       r.reward_pairs AS pairs, r.reward_noise::real AS noise, )sql" +
    milliseconds("r.created_at") +
    R"sql( AS measured_at, r.build_seconds::real, r.measure_seconds::real,
       r.text_bytes, r.baseline_text_bytes, confirm.state AS confirm_state, c.verdict AS confirm_verdict,
       c.reward::real AS confirm_reward, c.reward_low::real AS confirm_low,
       c.reward_high::real AS confirm_high, )sql" +
    milliseconds("c.created_at") + R"sql( AS confirmed_at
FROM sets s
JOIN candidates k ON k.set = s.number
LEFT JOIN jobs race ON race.candidate = k.number AND race.stage = 'race'
LEFT JOIN results r ON r.job = race.number
LEFT JOIN jobs confirm ON confirm.candidate = k.number AND confirm.stage = 'confirm'
LEFT JOIN results c ON c.job = confirm.number)sql";

const PgStatement kAll{"view_campaign_candidates", kCandidates + " ORDER BY k.set, k.index",
                       Repeat::safe, Planning::each_time};
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
                         Repeat::safe, Planning::each_time};

Json text_or_null(const PgRow& row, const char* column) {
  return row.is_null(column) ? Json() : Json(row.text(column));
}

}  // namespace

const std::string& campaign_candidates_sql() {
  return kAll.sql;
}

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
