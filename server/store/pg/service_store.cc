#include "server/store/service_store.h"

#include <algorithm>

#include "common/base/log.h"
#include "server/store/pg/canary_records.h"
#include "server/store/pg/records.h"
#include "server/store/pg/service_budget.h"

namespace hone {
namespace {

const PgStatement kPutService{"service_put", R"sql(
INSERT INTO services (target, spec, updated_by)
SELECT t.number, $2::jsonb, (SELECT number FROM tokens WHERE id = $3::uuid)
FROM targets t WHERE t.name = $1
ON CONFLICT (target) DO UPDATE
SET spec = excluded.spec, updated_at = now(), updated_by = excluded.updated_by,
    budget = NULL, budget_at = NULL, asked_at = NULL
RETURNING target)sql",
                              Repeat::unsafe};
const PgStatement kFindService{"service_find",
                               "SELECT s.spec FROM services s JOIN targets t ON t.number = "
                               "s.target WHERE t.name = $1",
                               Repeat::safe};

const PgStatement kList{"service_list", R"sql(
SELECT t.name AS target, s.spec, rfc3339(s.updated_at) AS updated_at, k.name AS updated_by, s.budget,
       rfc3339(s.budget_at) AS budget_at,
       (SELECT p.version FROM policies p WHERE p.target = s.target AND p.promoted) AS in_force,
       (SELECT c.id FROM canaries c WHERE c.target = s.target AND c.ended_at IS NULL) AS canary
FROM services s JOIN targets t ON t.number = s.target LEFT JOIN tokens k ON k.number = s.updated_by
WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[])) AND ($2::text IS NULL OR t.name > $2)
ORDER BY t.name LIMIT $3)sql",
                        Repeat::safe};
const PgStatement kTakeUnasked{"service_take_unasked", R"sql(
WITH due AS (
  SELECT target FROM services
  WHERE asked_at IS NULL OR asked_at < now() - $1::bigint * interval '1 second'
  ORDER BY asked_at NULLS FIRST LIMIT 64 FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE services s SET asked_at = now()
FROM due JOIN targets t ON t.number = due.target WHERE s.target = due.target
RETURNING t.name AS target, s.spec, extract(epoch FROM s.updated_at)::text AS described)sql",
                               Repeat::unsafe};
const PgStatement kNoteBudget{"service_note_budget", R"sql(
UPDATE services s SET budget = $2::jsonb, budget_at = now(), asked_at = now()
FROM targets t WHERE t.number = s.target AND t.name = $1
  AND extract(epoch FROM s.updated_at)::text = $3)sql",
                              Repeat::safe};
const PgStatement kNoteOfCanary{"service_note_budget_of_canary", R"sql(
UPDATE services s SET budget = $2::jsonb, budget_at = now(), asked_at = now()
FROM targets t WHERE t.number = s.target AND t.name = $1
  AND s.spec = (SELECT c.service FROM canaries c WHERE c.number = $3))sql",
                                Repeat::safe};
const PgStatement kIsSpent{"service_budget_is_spent", R"sql(
SELECT FROM services s JOIN targets t ON t.number = s.target
WHERE t.name = $1 AND (s.budget ->> 'spent')::boolean
  AND s.budget_at > now() - (s.spec #>> '{objective,window_seconds}')::double precision
                            * interval '1 second')sql",
                           Repeat::safe};

PgParams only(const std::string& text) {
  PgParams params;
  params.text(text);
  return params;
}

// What was valid when it was stored is read leniently: a newer Hone may have written more.
ServiceSpec read_spec(const PgRow& row) {
  return parse_service_spec(row.json("spec"), UnknownKeys::ignore).value();
}

ServiceView read_service(const PgRow& row) {
  ServiceView view;
  view.target = row.text("target");
  view.spec = read_spec(row);
  view.updated_at = row.text("updated_at");
  view.updated_by = row.text_or_empty("updated_by");
  if (!row.is_null("in_force")) {
    view.policy_in_force = row.integer("in_force");
  }
  view.budget = json_or_null(row, "budget");
  view.budget_at = row.text_or_empty("budget_at");
  view.canary = row.text_or_empty("canary");
  return view;
}

}  // namespace

Async<void> note_budget_in(PgTransaction& transaction, std::string target, Json budget,
                           std::int64_t canary) {
  PgParams row;
  row.text(target).json(budget).integer(canary);
  HONE_CO_CHECK(co_await transaction.execute(kNoteOfCanary, std::move(row)));
  co_return Result<void>();
}

Async<bool> budget_is_spent(PgTransaction& transaction, std::string target) {
  HONE_CO_TRY(const PgResult spent, co_await transaction.execute(kIsSpent, only(target)));
  co_return !spent.empty();
}

Async<void> ServiceStore::put(std::string target, ServiceSpec spec, std::string by) {
  const auto body = [&](PgTransaction& transaction) -> Async<bool> {
    PgParams row;
    row.text(target).json(to_json(spec)).text_or_null(by);
    HONE_CO_TRY(const PgResult put, co_await transaction.execute(kPutService, std::move(row)));
    if (put.empty()) {
      co_return no_such("target", target);
    }
    transaction.changes_target(target);
    co_return true;
  };
  const Result<bool> put = co_await in_transaction<bool>(pool_, body);
  HONE_CO_CHECK(put);
  co_return Result<void>();
}

Async<ServiceSpec> ServiceStore::find(std::string target) {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFindService, only(target)));
  if (found.empty()) {
    co_return fail(ErrorCode::not_found, "no service of target '" + target + "' is described");
  }
  co_return parse_service_spec(found.first().json("spec"), UnknownKeys::ignore);
}

Async<Page<ServiceView>> ServiceStore::list(Reader reader, PageRequest page) {
  HONE_CO_CHECK(check_limit(page));
  PgParams wanted;
  wanted.text_array(reader.targets).text_or_null(page.cursor).integer(page.limit + 1);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kList, std::move(wanted)));
  Page<ServiceView> list;
  const int shown = std::min(found.size(), static_cast<int>(page.limit));
  for (int i = 0; i < shown; ++i) {
    list.items.push_back(read_service(found.row(i)));
  }
  if (found.size() > shown) {
    list.next_cursor = list.items.back().target;
  }
  co_return list;
}

Async<std::vector<UnaskedService>> ServiceStore::take_unasked(std::int64_t seconds) {
  PgParams params;
  params.integer(seconds);
  HONE_CO_TRY(const PgResult taken, co_await pool_.execute(kTakeUnasked, std::move(params)));
  std::vector<UnaskedService> due;
  for (int i = 0; i < taken.size(); ++i) {
    const PgRow row = taken.row(i);
    // One that a newer release described in words of its own must not keep the others from us.
    const Result<ServiceSpec> spec = parse_service_spec(row.json("spec"), UnknownKeys::ignore);
    if (!spec) {
      log_error("service_unreadable",
                {{"target", row.text("target")}, {"reason", spec.error().describe()}});
      continue;
    }
    due.push_back({row.text("target"), *spec, row.text("described")});
  }
  co_return due;
}

Async<void> ServiceStore::note_budget(UnaskedService asked, Json budget) {
  PgParams row;
  row.text(asked.target).json(budget).text(asked.described);
  HONE_CO_CHECK(co_await pool_.execute(kNoteBudget, std::move(row)));
  co_return Result<void>();
}

}  // namespace hone
