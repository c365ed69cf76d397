// ViewStore: the phase-ordering tree that logged sessions made of a program.

#include <nlohmann/json.hpp>

#include "server/store/pg/records.h"
#include "server/store/pg/view_sql.h"
#include "server/store/view_store.h"

namespace hone {
namespace {

const PgStatement kPrograms{"view_explorer_programs", R"sql(
SELECT coalesce(json_agg(row_to_json(shown)), '[]') FROM (
  SELECT e.program, max(a.size_bytes) AS size_bytes, count(DISTINCT e.number) AS episodes,
         count(s.episode) FILTER (WHERE s.kind = 'step') AS steps,
         rfc3339(max(e.begun_at)) AS last_at
  FROM (SELECT * FROM episodes o
        WHERE ($1::text[] IS NULL OR o.token = (SELECT k.number FROM tokens k WHERE k.id = $2::uuid)
         OR may_read_artifact(o.program, $2::uuid, $1::text[]))
        ORDER BY number DESC LIMIT 1000) AS e
  LEFT JOIN steps s ON s.episode = e.number
  LEFT JOIN artifacts a ON a.sha256 = e.program
  GROUP BY e.program
  ORDER BY max(e.number) DESC LIMIT 100) AS shown)sql",
                            Repeat::safe, Planning::each_time};

const PgStatement kKnown{"view_explorer_known",
                         R"sql(
SELECT EXISTS (SELECT FROM episodes o WHERE o.program = $3
  AND ($1::text[] IS NULL OR o.token = (SELECT k.number FROM tokens k WHERE k.id = $2::uuid)
         OR may_read_artifact(o.program, $2::uuid, $1::text[]))) AS known)sql",
                         Repeat::safe, Planning::each_time};

// Of the newest episodes: a program may have thousands, and the tree shows at most 2,000 edges.
const PgStatement kTree{"view_explorer_tree", R"sql(
WITH newest AS (
  SELECT number FROM episodes o WHERE o.program = $3
    AND ($1::text[] IS NULL OR o.token = (SELECT k.number FROM tokens k WHERE k.id = $2::uuid)
         OR may_read_artifact(o.program, $2::uuid, $1::text[]))
  ORDER BY number DESC LIMIT 500
), begun AS (
  SELECT s.next_state FROM steps s JOIN episodes e ON e.number = s.episode
  WHERE s.episode IN (SELECT number FROM newest) AND s.kind = 'begin' AND e.start = 'open'
    AND s.next_state IS NOT NULL
  LIMIT 1
), edges AS (
  SELECT s.state, s.next_state, s.pipelines[:s.applied] AS pipelines,
         s.pipelines[s.applied + 1] AS failed_pipeline, s.outcome, count(*) AS times,
         (array_agg(s.rewards ORDER BY s.number DESC))[1] AS rewards, min(s.number) AS first
  FROM steps s
  WHERE s.episode IN (SELECT number FROM newest) AND s.kind = 'step'
  GROUP BY 1, 2, 3, 4, 5
  ORDER BY first LIMIT 2000
), seen AS (
  SELECT state FROM edges UNION SELECT next_state FROM edges UNION SELECT next_state FROM begun
)
SELECT json_build_object(
  'root', (SELECT t.state_id FROM begun b JOIN states t ON t.number = b.next_state),
  'transitions', (
    SELECT coalesce(json_agg(json_build_object(
             'from', a.state_id, 'to', b.state_id, 'pipelines', e.pipelines,
             'failed_pipeline', e.failed_pipeline, 'outcome', e.outcome, 'times', e.times,
             'rewards', e.rewards) ORDER BY e.first), '[]')
    FROM edges e
    LEFT JOIN states a ON a.number = e.state
    LEFT JOIN states b ON b.number = e.next_state),
  'states', (
    SELECT coalesce(json_agg(json_build_object(
             'state_id', t.state_id, 'instructions', t.features -> 'IrInstructionCount')), '[]')
    FROM seen JOIN states t ON t.number = seen.state)))sql",
                        Repeat::safe, Planning::each_time};

}  // namespace

Async<std::string> ViewStore::explorer(std::optional<std::string> program, Reader reader) {
  PgParams seen;
  seen.text_array(reader.targets).text_or_null(reader.token);
  Result<std::string> programs = co_await one_document(pool_, kPrograms, seen);
  HONE_CO_CHECK(programs);
  std::string members = "\"programs\":" + *programs;
  if (!program) {
    members += ",\"program\":null,\"root\":null,\"transitions\":[],\"states\":[]";
    co_return members;
  }
  seen.text(*program);
  HONE_CO_TRY(const PgResult known, co_await pool_.execute(kKnown, seen));
  if (!known.first().truth("known")) {
    co_return no_such("program with a logged session", *program);
  }
  Result<std::string> tree = co_await one_document(pool_, kTree, std::move(seen));
  HONE_CO_CHECK(tree);
  members += ",\"program\":" + dump_json(Json(*program));
  members += "," + tree->substr(1, tree->size() - 2);
  co_return members;
}

}  // namespace hone
