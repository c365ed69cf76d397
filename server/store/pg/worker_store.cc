#include "server/store/worker_store.h"

#include <nlohmann/json.hpp>

#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"
#include "server/store/pg/worker_kind.h"
#include "server/store/pg/worker_life.h"

namespace hone {
namespace {

const PgStatement kPut{"worker_put", R"sql(
INSERT INTO workers (name, machine, labels, slots, version, llvm, token)
VALUES ($1, $2::jsonb, $3::jsonb, $4, $5, $6::integer[],
        (SELECT number FROM tokens WHERE id = $7::uuid))
ON CONFLICT (name) DO UPDATE
SET machine = excluded.machine, labels = excluded.labels, slots = excluded.slots,
    version = excluded.version, llvm = excluded.llvm, token = excluded.token, freed = false,
    last_seen_at = now()
-- Another's name, unless that token is good no more.
WHERE workers.token IS NULL OR workers.token = excluded.token
   OR NOT EXISTS (SELECT FROM tokens t
                  WHERE t.number = workers.token AND t.revoked_at IS NULL
                    AND (t.expires_at IS NULL OR t.expires_at > now()))
RETURNING number)sql",
                       Repeat::safe};
const PgStatement kFree{
    "worker_free", "UPDATE workers SET token = NULL, freed = true WHERE name = $1", Repeat::safe};

const std::string kSelect = "SELECT CASE WHEN " + has_left_sql("w") +
                            " THEN rfc3339(w.left_at) END AS left_at, NOT " + has_left_sql("w") +
                            " AND NOT " + is_there_sql("w") + R"sql( AS silent,
       w.name, w.machine, w.labels, w.slots, w.version, to_json(w.llvm) AS llvm,
       rfc3339(w.last_seen_at) AS last_seen_at, rfc3339(w.drained_at) AS drained_at,
       (SELECT j.id FROM attempts a JOIN jobs j ON j.number = a.job
        WHERE a.worker = w.number AND a.state = 'leased' ORDER BY a.number LIMIT 1) AS current_job,
       (SELECT json_agg(json_build_object(
                 'target', t.name, 'target_version', f.target_version, 'verdict', c.verdict,
                 'reward', json_build_object(
                   'value', c.reward, 'low', c.reward_low, 'high', c.reward_high,
                   'confidence', c.reward_confidence, 'pairs', c.reward_pairs,
                   'detectable_effect', c.reward_detectable_effect, 'noise', c.reward_noise),
                 'baseline_value', c.baseline_value, 'drift', f.drift,
                 'checked_at', rfc3339(c.checked_at), 'unfit_reason', f.unfit_reason)
               ORDER BY t.name, f.target_version)
        FROM worker_fitness f
        JOIN self_checks c ON c.attempt = f.self_check
        JOIN targets t ON t.number = f.target
        WHERE f.worker = w.number) AS checks
FROM workers w )sql";
const PgStatement kSetUse{"worker_set_use", R"sql(
WITH changed AS (
  UPDATE workers SET drained_at = CASE WHEN $2::boolean THEN coalesce(drained_at, now()) END
  WHERE name = $1 RETURNING rfc3339(drained_at) AS drained_at
)
SELECT drained_at, pg_notify('hone_workers', '') FROM changed)sql",
                          Repeat::safe};
// A claim of its own that is still being written counts as before it.
const PgStatement kLeave{"worker_leave", R"sql(
UPDATE workers SET left_at = greatest(now(), last_seen_at)
WHERE name = $1 AND (token IS NULL OR token = (SELECT number FROM tokens WHERE id = $2::uuid))
RETURNING rfc3339(left_at) AS left_at)sql",
                         Repeat::safe};
// Rows are locked in one order, and those that others are writing are left to them.
const PgStatement kKinds{"worker_kinds",
                         R"sql(
WITH asking AS MATERIALIZED (
  SELECT DISTINCT ON (asked.name) asked.name, t.number AS token
  FROM unnest($1::text[], $2::uuid[]) AS asked (name, token)
  JOIN tokens t ON t.id = asked.token AND t.revoked_at IS NULL
    AND (t.expires_at IS NULL OR t.expires_at > now())
  ORDER BY asked.name, t.number
), stale AS MATERIALIZED (
  SELECT number FROM workers
  WHERE name = ANY ($1::text[]) AND last_seen_at < now() - interval '5 seconds'
  ORDER BY number FOR NO KEY UPDATE SKIP LOCKED
), seen AS (
  UPDATE workers w
  SET last_seen_at = now(), token = CASE WHEN w.freed THEN w.token ELSE asking.token END
  FROM asking
  WHERE w.number IN (SELECT number FROM stale) AND w.name = asking.name
    AND (w.token IS NULL OR w.token = asking.token)
)
SELECT w.number IS NOT NULL AS registered, w.drained_at IS NOT NULL AS drained, )sql" +
                             worker_kind_sql() + R"sql( AS kind
FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS wanted (name, token, place)
LEFT JOIN tokens t ON t.id = wanted.token
LEFT JOIN workers w ON w.name = wanted.name AND (w.token IS NULL OR w.token = t.number)
ORDER BY wanted.place)sql",
                         Repeat::safe};
const PgStatement kFind{"worker_find", kSelect + "WHERE w.name = $1", Repeat::safe};
const PgStatement kList{"worker_list", kSelect + "ORDER BY w.name", Repeat::safe};

WorkerView read_worker(const PgRow& row) {
  WorkerView worker;
  worker.name = row.text("name");
  worker.machine = machine_from_json(row.json("machine"));
  const Json labels = row.json("labels");
  for (const auto& [key, value] : labels.items()) {
    worker.labels.emplace(key, value.get<std::string>());
  }
  worker.slots = row.integer("slots");
  for (const Json& major : row.json("llvm")) {
    worker.llvm.push_back(major.get<std::int64_t>());
  }
  worker.drained_at = row.text_or_empty("drained_at");
  worker.version = row.text("version");
  worker.last_seen_at = row.text("last_seen_at");
  worker.left_at = row.text_or_empty("left_at");
  worker.silent = row.truth("silent");
  worker.current_job = row.text_or_empty("current_job");
  if (!row.is_null("checks")) {
    worker.checks = worker_checks_from_json(row.json("checks"));
  }
  return worker;
}

}  // namespace

Async<WorkerView> WorkerStore::put(WorkerView worker, std::string token) {
  Json labels = Json::object();
  for (const auto& [key, value] : worker.labels) {
    labels[key] = value;
  }
  PgParams params;
  params.text(worker.name)
      .json(to_json(worker.machine))
      .json(labels)
      .integer(worker.slots)
      .text(worker.version)
      .integer_array(worker.llvm)
      .text_or_null(token);
  HONE_CO_TRY(const PgResult stored_row, co_await pool_.execute(kPut, std::move(params)));
  if (stored_row.empty()) {
    co_return fail(ErrorCode::conflict,
                   "worker '" + worker.name +
                       "' was registered by another token, which is still good: give this worker "
                       "another name, or have an admin revoke that token or free the name (POST "
                       "/v1/workers/" +
                       worker.name + "/free)");
  }
  Result<WorkerView> stored = co_await find(worker.name);
  co_return stored;
}

Async<WorkerView> WorkerStore::find(std::string name) {
  PgParams params;
  params.text(name);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFind, std::move(params)));
  if (found.empty()) {
    co_return no_such("worker", name);
  }
  co_return read_worker(found.first());
}

Async<std::string> WorkerStore::set_use(std::string name, WorkerUse use) {
  PgParams params;
  params.text(name).truth(use == WorkerUse::drain);
  HONE_CO_TRY(const PgResult changed, co_await pool_.execute(kSetUse, std::move(params)));
  if (changed.empty()) {
    co_return no_such("worker", name);
  }
  co_return changed.first().text_or_empty("drained_at");
}

Async<std::string> WorkerStore::leave(std::string name, std::string token) {
  PgParams params;
  params.text(name).text_or_null(token);
  HONE_CO_TRY(const PgResult left, co_await pool_.execute(kLeave, std::move(params)));
  if (left.empty()) {
    co_return no_such("worker", name);
  }
  co_return left.first().text("left_at");
}

Async<void> WorkerStore::free(std::string name) {
  PgParams params;
  params.text(name);
  HONE_CO_TRY(const PgResult freed, co_await pool_.execute(kFree, std::move(params)));
  if (freed.affected() == 0) {
    co_return no_such("worker", name);
  }
  co_return Result<void>();
}

Async<std::vector<WorkerKind>> WorkerStore::kinds(std::vector<Claimant> claimants) {
  std::vector<std::string> names;
  std::vector<std::string> tokens;
  for (const Claimant& claimant : claimants) {
    names.push_back(claimant.worker);
    tokens.push_back(claimant.token);
  }
  PgParams params;
  params.text_array(names).text_array(tokens);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kKinds, std::move(params)));
  std::vector<WorkerKind> kinds;
  kinds.reserve(claimants.size());
  for (int i = 0; i < found.size(); ++i) {
    const PgRow row = found.row(i);
    kinds.push_back({row.truth("registered"), row.truth("drained"), row.text_or_empty("kind")});
  }
  co_return kinds;
}

Async<std::vector<WorkerView>> WorkerStore::list() {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kList, PgParams()));
  std::vector<WorkerView> workers;
  workers.reserve(static_cast<std::size_t>(found.size()));
  for (int i = 0; i < found.size(); ++i) {
    workers.push_back(read_worker(found.row(i)));
  }
  co_return workers;
}

}  // namespace hone
