#include "server/store/transition_store.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "server/store/pg/line_stream.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/transition_batch.h"

namespace hone {
namespace {

const PgStatement kAddEpisodes{"transition_add_episodes", R"sql(
INSERT INTO episodes (id, session, token, program, start, parent, parent_step, machine, compiler,
                      begun_at)
SELECT e.id, e.session, t.number, e.program, e.start, e.parent, e.parent_step, e.machine,
       e.compiler, to_timestamp(e.begun_at / 1000.0)
FROM jsonb_to_recordset($1::jsonb)
     AS e (id uuid, session uuid, token uuid, program text, start episode_start, parent uuid,
           parent_step integer, machine jsonb, compiler text, begun_at bigint)
LEFT JOIN tokens t ON t.id = e.token
ORDER BY e.id
ON CONFLICT (id) DO NOTHING)sql",
                               Repeat::unsafe};

// What is known is added to. An observation is a function of the state, so that it does not matter
// which of two equal ones stays. Every row is locked, changed or not, so that none of them is
// removed (retention_store.cc) before the steps refer to it.
const PgStatement kAddStates{"transition_add_states", R"sql(
INSERT INTO states (state_id, features)
SELECT s.state_id, s.features
FROM jsonb_to_recordset($1::jsonb) AS s (state_id text, features jsonb)
ORDER BY s.state_id
ON CONFLICT (state_id) DO UPDATE
  SET features = EXCLUDED.features || coalesce(states.features, '{}')
  WHERE EXCLUDED.features IS NOT NULL
    AND NOT coalesce(states.features, '{}') @> EXCLUDED.features)sql",
                             Repeat::unsafe};

const PgStatement kAddSteps{"transition_add_steps", R"sql(
INSERT INTO steps (episode, step, kind, pipelines, applied, changed, log_propensities, undone,
                   state, next_state, outcome, reason, rewards, length, entries, dropped, at)
SELECT e.number, s.step, s.kind, s.pipelines, s.applied, s.changed, s.log_propensities, s.undone,
       before.number, after.number, s.outcome, s.reason, s.rewards, s.length, s.entries, s.dropped,
       to_timestamp(s.at / 1000.0)
FROM jsonb_to_recordset($1::jsonb)
     AS s (place integer, episode uuid, step integer, kind step_kind, pipelines text[],
           applied integer, changed boolean, log_propensities double precision[], undone integer,
           state text, next_state text, outcome step_outcome, reason text, rewards jsonb,
           length integer, entries integer, dropped integer, at bigint)
JOIN episodes e ON e.id = s.episode
LEFT JOIN states before ON before.state_id = s.state
LEFT JOIN states after ON after.state_id = s.next_state
ORDER BY s.place
ON CONFLICT (episode, step) DO NOTHING)sql",
                            Repeat::unsafe};

// What only its kind has stands between what all have and what is known of the next state by now.
const LineSource kTransitions{"transitions",
                              R"sql(
left(row_to_json((SELECT line FROM (SELECT
    s.kind, s.step, before.state_id AS state, after.state_id AS next_state, s.length, s.rewards,
    s.kind = 'end' AS end_of_episode, rfc3339(s.at) AS at, e.id AS episode, e.session, e.program,
    e.start, e.parent, e.parent_step, e.machine, e.compiler) AS line))::text, -1)
|| CASE s.kind
  WHEN 'step' THEN ',' || left(substr(row_to_json((SELECT line FROM (SELECT
    s.pipelines, s.applied, s.changed, s.outcome, nullif(s.reason, '') AS reason,
    s.log_propensities) AS line))::text, 2), -1)
  WHEN 'undo' THEN ',"undone":' || s.undone
  WHEN 'end' THEN ',' || left(substr(row_to_json((SELECT line FROM (SELECT
    s.reason, s.entries, s.dropped) AS line))::text, 2), -1)
  ELSE '' END
|| ',"features":' || coalesce(after.features::text, 'null') || '}')sql",
                              R"sql(steps s
JOIN episodes e ON e.number = s.episode
LEFT JOIN states before ON before.number = s.state
LEFT JOIN states after ON after.number = s.next_state)sql",
                              R"sql(
(e.token = (SELECT k.number FROM tokens k WHERE k.id = {1})
 OR may_read_artifact(e.program, {1}, {0})))sql"};

template <class Value, std::size_t kCount>
struct Spellings {
  struct Spelling {
    Value value;
    std::string_view text;
  };
  std::array<Spelling, kCount> list;

  std::string_view text_of(Value value) const {
    return std::ranges::find(list, value, &Spelling::value)->text;
  }
  std::optional<Value> value_of(std::string_view text) const {
    const auto found = std::ranges::find(list, text, &Spelling::text);
    return found == list.end() ? std::nullopt : std::optional(found->value);
  }
};

constexpr Spellings<StepKind, 5> kKinds{{{{StepKind::begin, "begin"},
                                          {StepKind::step, "step"},
                                          {StepKind::observe, "observe"},
                                          {StepKind::undo, "undo"},
                                          {StepKind::end, "end"}}}};
constexpr Spellings<EpisodeStart, 3> kStarts{
    {{{EpisodeStart::open, "open"}, {EpisodeStart::fork, "fork"}, {EpisodeStart::reset, "reset"}}}};

Async<void> run_with(PgTransaction& transaction, const PgStatement& statement, const Json& rows) {
  PgParams params;
  params.json(rows);
  HONE_CO_CHECK(co_await transaction.execute(statement, std::move(params)));
  co_return Result<void>();
}

Async<void> add_in(PgTransaction& transaction, const Json& episodes, const Json& states,
                   const Json& rows) {
  HONE_CO_CHECK(co_await run_with(transaction, kAddEpisodes, episodes));
  HONE_CO_CHECK(co_await run_with(transaction, kAddStates, states));
  HONE_CO_CHECK(co_await run_with(transaction, kAddSteps, rows));
  co_return Result<void>();
}

}  // namespace

std::string_view to_string(StepKind kind) {
  return kKinds.text_of(kind);
}
std::optional<StepKind> parse_step_kind(std::string_view text) {
  return kKinds.value_of(text);
}
std::string_view to_string(EpisodeStart start) {
  return kStarts.text_of(start);
}
std::optional<EpisodeStart> parse_episode_start(std::string_view text) {
  return kStarts.value_of(text);
}

Async<void> TransitionStore::add(StepBatch steps) {
  const Json episodes = episodes_of(steps);
  const Json states = states_of(steps);
  const Json rows = rows_of(steps);
  const auto body = [&](PgTransaction& transaction) {
    return add_in(transaction, episodes, states, rows);
  };
  Result<void> added = co_await in_transaction<void>(pool_, body);
  co_return added;
}

Async<LinePage> TransitionStore::read(LineRequest wanted) {
  Result<LinePage> page = co_await read_lines(pool_, kTransitions, std::move(wanted));
  co_return page;
}

}  // namespace hone
