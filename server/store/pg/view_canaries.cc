// ViewStore: canaries, the services they are tried on with their error budgets, and what a canary
// is joined with.

#include "server/store/pg/view_sql.h"
#include "server/store/view_store.h"

namespace hone {
namespace {

// Of a canary that ended: what it taught, from its line of the replay buffer.
constexpr const char* kTaught = R"sql(
LEFT JOIN LATERAL (
  SELECT e.line::jsonb AS line FROM experiences e WHERE e.canary = c.number) AS taught ON true)sql";

// The judgement's first indicator is the first rule's, which is what a canary is rewarded for.
const std::string kCanaries = R"sql(
(SELECT coalesce(json_agg(row_to_json(shown)), '[]') FROM (
  SELECT c.id, t.name AS target, c.policy_version, c.state, c.share, c.follows,
         c.state = 'judged' AND c.spec #>> '{ramp,approval}' = 'by_hand' AS waits_for_approval,
         (SELECT count(*) FROM canary_windows w WHERE w.canary = c.number) AS windows,
         (SELECT sum(l.value::bigint)
          FROM jsonb_each_text(c.judgement -> 'windows_left_out') AS l) AS lost_windows,
         c.judgement ->> 'finding' AS finding, c.spec #>> '{rules,0,sli}' AS sli,
         CASE WHEN c.judgement #>> '{slis,0,finding}' NOT IN ('no_data', 'insufficient_traffic')
              THEN c.judgement #> '{slis,0,reward}' END AS so_far,
         taught.line ->> 'outcome' AS outcome,
         CASE WHEN jsonb_typeof(taught.line -> 'reward') = 'object'
              THEN taught.line -> 'reward' END AS reward,
         c.reason, nullif(c.cause, 'none') AS cause, c.known_good, p.campaign, p.candidate, rfc3339(c.created_at) AS created_at,
         k.name AS created_by, rfc3339(c.ended_at) AS ended_at
  FROM canaries c
  JOIN targets t ON t.number = c.target
  LEFT JOIN tokens k ON k.number = c.created_by
  LEFT JOIN LATERAL (
    SELECT g.id AS campaign, d.id AS candidate FROM policies y
    LEFT JOIN campaigns g ON g.number = y.campaign
    LEFT JOIN candidates d ON d.number = y.candidate
    WHERE y.target = c.target AND y.version = c.policy_version) AS p ON true)sql" +
                              std::string(kTaught) + R"sql(
  WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
    AND ($2::text IS NULL OR t.name = $2)
    AND ($3::text IS NULL OR c.state = $3::canary_state)
  ORDER BY c.number DESC LIMIT 200) AS shown))sql";

// What Prometheus last told of each service's error budget.
const std::string kServices = R"sql(
(SELECT coalesce(json_agg(row_to_json(shown) ORDER BY shown.target), '[]') FROM (
  SELECT t.name AS target, s.spec -> 'objective' AS objective, s.budget,
         rfc3339(s.budget_at) AS budget_at, told.spent AS stopped,
         CASE WHEN told.spent THEN rfc3339(s.spent_since) END AS stopped_since, alive.id AS canary, alive.state
  FROM services s
  JOIN targets t ON t.number = s.target
  CROSS JOIN LATERAL (SELECT )sql" +
                              budget_is_spent_sql("s") + R"sql( AS spent) AS told
  LEFT JOIN canaries alive ON alive.target = s.target AND alive.ended_at IS NULL
  WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[]))
    AND ($2::text IS NULL OR t.name = $2)) AS shown))sql";

const PgStatement kAll{"view_canaries",
                       "SELECT json_build_object('now', rfc3339(now()), 'total', "
                       "(SELECT count(*) FROM canaries c JOIN targets t ON t.number = c.target "
                       "WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[])) "
                       "AND ($2::text IS NULL OR t.name = $2) "
                       "AND ($3::text IS NULL OR c.state = $3::canary_state)), 'canaries', " +
                           kCanaries + ", 'services', " + kServices + ")",
                       Repeat::safe, Planning::each_time};

const PgStatement kOne{"view_canary",
                       R"sql(
SELECT json_build_object(
  'now', rfc3339(now()),
  'policy', (SELECT row_to_json(tried) FROM (
     SELECT p.version, p.promoted, g.id AS campaign, d.id AS candidate, d.origin,
            nullif(d.note, '') AS note, g.baseline, )sql" +
                           reward_json("r") +
                           R"sql( AS reward
     FROM policies p
     LEFT JOIN campaigns g ON g.number = p.campaign
     LEFT JOIN candidates d ON d.number = p.candidate
     LEFT JOIN jobs j ON j.candidate = p.candidate AND j.stage = 'confirm'
     LEFT JOIN results r ON r.job = j.number
     WHERE p.target = c.target AND p.version = c.policy_version) AS tried),
  'taught', taught.line - 'rules' - 'decisions')
FROM canaries c)sql" + std::string(kTaught) +
                           " WHERE c.id = $1::uuid",
                       Repeat::safe, Planning::each_time};

}  // namespace

Async<std::string> ViewStore::canaries(CanaryQuery query, Reader reader) {
  PgParams wanted;
  wanted.text_array(reader.targets);
  query.target ? wanted.text(*query.target) : wanted.null();
  query.state ? wanted.text(to_string(*query.state)) : wanted.null();
  Result<std::string> document = co_await one_document(pool_, kAll, std::move(wanted));
  co_return document;
}

Async<std::string> ViewStore::canary(std::string id) {
  PgParams wanted;
  wanted.text(id);
  Result<std::string> document = co_await one_document(pool_, kOne, std::move(wanted));
  co_return document;
}

}  // namespace hone
