#include "server/store/canary_store.h"

#include <algorithm>

#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

const std::string kSelect = R"sql(
SELECT c.number, c.id, c.spec, c.service, c.state, c.step, c.step_windows, c.lost_windows, c.share,
       c.reason, c.follows, c.revision, c.judgement, c.budget, k.name AS created_by,
       (SELECT count(*) FROM canary_windows w WHERE w.canary = c.number) AS windows,
       rfc3339(c.created_at) AS created_at, rfc3339(c.ended_at) AS ended_at
FROM canaries c JOIN targets t ON t.number = c.target LEFT JOIN tokens k ON k.number = c.created_by
)sql";

const PgStatement kPutService{"service_put", R"sql(
INSERT INTO services (target, spec, updated_by)
SELECT t.number, $2::jsonb, (SELECT number FROM tokens WHERE id = $3::uuid)
FROM targets t WHERE t.name = $1
ON CONFLICT (target) DO UPDATE
SET spec = excluded.spec, updated_at = now(), updated_by = excluded.updated_by
RETURNING target)sql",
                              Repeat::unsafe};
const PgStatement kFindService{"service_find",
                               "SELECT s.spec FROM services s JOIN targets t ON t.number = "
                               "s.target WHERE t.name = $1",
                               Repeat::safe};

const PgStatement kFacts{"canary_facts", R"sql(
SELECT t.number AS target, s.spec AS service,
       EXISTS (SELECT FROM policies p WHERE p.target = t.number AND p.version = $2) AS has_policy
FROM targets t LEFT JOIN services s ON s.target = t.number WHERE t.name = $1)sql",
                         Repeat::safe};
const PgStatement kCreate{"canary_create", R"sql(
INSERT INTO canaries (target, policy_version, spec, service, created_by)
VALUES ($1, $2, $3::jsonb, $4::jsonb, (SELECT number FROM tokens WHERE id = $5::uuid))
RETURNING id)sql",
                          Repeat::unsafe};

const PgStatement kFind{"canary_find", kSelect + "WHERE c.id = $1::uuid", Repeat::safe};
const PgStatement kLock{"canary_lock",
                        "SELECT number FROM canaries WHERE id = $1::uuid FOR NO KEY UPDATE",
                        Repeat::unsafe};
const PgStatement kList{"canary_list", kSelect + R"sql(
WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[])) AND ($2::text IS NULL OR t.name = $2)
  AND ($3::bigint IS NULL OR c.number < $3)
ORDER BY c.number DESC LIMIT $4)sql",
                        Repeat::safe};

const PgStatement kDecisions{"canary_decisions", R"sql(
SELECT rfc3339(d.at) AS at, d.state, d.share, d.windows, d.reason, d.judgement
FROM canary_decisions d JOIN canaries c ON c.number = d.canary
WHERE c.id = $1::uuid ORDER BY d.number)sql",
                             Repeat::safe};
const PgStatement kWindows{"canary_windows", R"sql(
SELECT w.number, w.start, w.seconds, w.share, w.baseline, w.canary_group
FROM canary_windows w JOIN canaries c ON c.number = w.canary
WHERE c.id = $1::uuid ORDER BY w.number)sql",
                           Repeat::safe};

// Rows that another coordinator is writing are left to it.
const PgStatement kTake{"canary_take", R"sql(
WITH free AS (
  SELECT number FROM canaries
  WHERE (ended_at IS NULL OR NOT follows) AND (owner = $1 OR owner IS NULL OR owner_until < now())
  ORDER BY number FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE canaries c SET owner = $1, owner_until = now() + $2::bigint * interval '1 second'
FROM free WHERE c.number = free.number
RETURNING c.id)sql",
                        Repeat::unsafe};

const PgStatement kAdvance{"canary_advance", R"sql(
UPDATE canaries
SET state = $2::canary_state, step = $3, step_windows = $4, lost_windows = $5, share = $6::smallint, reason = $7,
    follows = $8, judgement = coalesce($9::jsonb, judgement), budget = coalesce($10::jsonb, budget),
    revision = revision + 1,
    ended_at = CASE WHEN $2::canary_state IN ('promoted', 'rolled_back', 'aborted')
                    THEN coalesce(ended_at, now()) END,
    serving_until = CASE WHEN $6::smallint = 0 THEN NULL ELSE serving_until END
WHERE number = $1)sql",
                           Repeat::unsafe};
const PgStatement kAddWindow{"canary_add_window", R"sql(
INSERT INTO canary_windows (canary, number, start, seconds, share, baseline, canary_group)
VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb))sql",
                             Repeat::unsafe};
const PgStatement kAddDecision{"canary_add_decision", R"sql(
INSERT INTO canary_decisions (canary, number, state, share, windows, reason, judgement)
SELECT c.number, coalesce((SELECT max(number) FROM canary_decisions WHERE canary = c.number), 0) + 1,
       c.state, c.share, (SELECT count(*) FROM canary_windows WHERE canary = c.number), c.reason,
       c.judgement
FROM canaries c WHERE c.number = $1)sql",
                               Repeat::unsafe};

const PgStatement kRenew{"canary_renew", R"sql(
UPDATE canaries SET serving_until = now() + $2::bigint * interval '1 second'
WHERE id = $1::uuid AND share > 0)sql",
                         Repeat::safe};
const PgStatement kMayServe{"canary_may_serve",
                            "SELECT FROM canaries WHERE id = $1::uuid AND share > 0 "
                            "AND (serving_until > now() OR state = 'promoted')",
                            Repeat::safe};

const PgStatement kAddExperience{"canary_add_experience", R"sql(
INSERT INTO experiences (source, canary, line)
SELECT 'production', number, $2 FROM canaries WHERE id = $1::uuid
ON CONFLICT ON CONSTRAINT experience_of_a_canary_is_one DO NOTHING)sql",
                                 Repeat::unsafe};

Error bad_canary(std::string pointer, std::string detail) {
  return Error{
      ErrorCode::invalid_argument, "bad canary", {{std::move(pointer), std::move(detail)}}};
}

PgParams only(const std::string& text) {
  PgParams params;
  params.text(text);
  return params;
}

Json json_or_null(const PgRow& row, const char* column) {
  return row.is_null(column) ? Json() : row.json(column);
}

// What was valid when it was stored is read leniently: a newer Hone may have written more.
CanaryView read_canary(const PgRow& row) {
  CanaryView canary;
  canary.id = row.text("id");
  canary.spec = parse_canary_spec(row.json("spec"), UnknownKeys::ignore).value();
  canary.service = parse_service_spec(row.json("service"), UnknownKeys::ignore).value();
  canary.status.state = row.one_of("state", parse_canary_state);
  canary.status.step = static_cast<std::size_t>(row.integer("step"));
  canary.status.step_windows = static_cast<std::size_t>(row.integer("step_windows"));
  canary.status.lost_windows = static_cast<std::size_t>(row.integer("lost_windows"));
  canary.status.share = static_cast<int>(row.integer("share"));
  canary.status.reason = row.text("reason");
  canary.follows = row.truth("follows");
  canary.revision = row.integer("revision");
  canary.windows = row.integer("windows");
  canary.judgement = json_or_null(row, "judgement");
  canary.budget = json_or_null(row, "budget");
  canary.created_at = row.text("created_at");
  canary.created_by = row.text_or_empty("created_by");
  canary.ended_at = row.text_or_empty("ended_at");
  return canary;
}

// The canary, locked for the rest of the transaction.
struct LockedCanary {
  std::int64_t number = 0;
  CanaryView view;
};

Async<LockedCanary> lock_in(PgTransaction& transaction, const std::string& id) {
  if (!is_uuid(id)) {
    co_return no_such("canary", id);
  }
  HONE_CO_CHECK(co_await transaction.execute(kLock, only(id)));
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, only(id)));
  if (found.empty()) {
    co_return no_such("canary", id);
  }
  co_return LockedCanary{found.first().integer("number"), read_canary(found.first())};
}

Async<void> store_status(PgTransaction& transaction, const LockedCanary& canary,
                         const CanaryStep& step) {
  if (step.window) {
    PgParams window;
    window.integer(canary.number).integer(step.window->number).number(step.window->start);
    window.number(step.window->seconds).integer(step.window->share);
    window.json(step.window->baseline).json(step.window->canary);
    HONE_CO_CHECK(co_await transaction.execute(kAddWindow, std::move(window)));
  }
  const CanaryStatus& status = step.status;
  PgParams row;
  row.integer(canary.number).text(to_string(status.state));
  row.integer(static_cast<std::int64_t>(status.step));
  row.integer(static_cast<std::int64_t>(status.step_windows));
  row.integer(static_cast<std::int64_t>(status.lost_windows));
  row.integer(status.share).text(status.reason).truth(step.follows);
  for (const Json* const document : {&step.judgement, &step.budget}) {
    document->is_null() ? row.null() : row.json(*document);
  }
  HONE_CO_CHECK(co_await transaction.execute(kAdvance, std::move(row)));
  const CanaryStatus& before = canary.view.status;
  if (before.state != status.state || before.share != status.share ||
      (status.state == CanaryState::prepared && before.reason != status.reason)) {
    PgParams number;
    number.integer(canary.number);
    HONE_CO_CHECK(co_await transaction.execute(kAddDecision, std::move(number)));
  }
  co_return Result<void>();
}

Async<CanaryView> find_in(PgTransaction& transaction, const std::string& id) {
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, only(id)));
  co_return read_canary(found.first());
}

Async<CanaryView> create_in(PgTransaction& transaction, const CanarySpec& spec,
                            const std::string& created_by) {
  PgParams wanted;
  wanted.text(spec.target).integer(spec.policy_version);
  HONE_CO_TRY(const PgResult facts, co_await transaction.execute(kFacts, std::move(wanted)));
  if (facts.empty()) {
    co_return bad_canary("/target", "no target '" + spec.target + "' is registered");
  }
  const PgRow known = facts.first();
  if (known.is_null("service")) {
    co_return bad_canary(
        "/target", "no service of '" + spec.target + "' is described: hone service set says how");
  }
  if (!known.truth("has_policy")) {
    co_return bad_canary("/policy_version", "there is no version " +
                                                std::to_string(spec.policy_version) +
                                                " of the policy of '" + spec.target + "'");
  }
  PgParams row;
  row.integer(known.integer("target")).integer(spec.policy_version).json(to_json(spec));
  row.json(known.json("service")).text_or_null(created_by);
  PgOutcome<PgResult> created = co_await transaction.execute(kCreate, std::move(row));
  if (!created && created.error().constraint == "canary_is_alone_on_its_target") {
    co_return fail(ErrorCode::conflict,
                   "a canary of '" + spec.target + "' is under way: end it first");
  }
  HONE_CO_TRY(const PgResult made, std::move(created));
  const std::string id = made.first().text("id");
  transaction.changes_object(id);
  transaction.changes_target(spec.target);
  transaction.changes_to(Json{{"policy_version", spec.policy_version}});
  Result<CanaryView> view = co_await find_in(transaction, id);
  co_return view;
}

Async<CanaryView> advance_in(PgTransaction& transaction, const std::string& id,
                             std::int64_t revision, const CanaryStep& step) {
  HONE_CO_TRY(const LockedCanary canary, co_await lock_in(transaction, id));
  if (canary.view.revision != revision) {
    co_return fail(ErrorCode::conflict, "the canary was changed meanwhile");
  }
  const Result<void> stored = co_await store_status(transaction, canary, step);
  HONE_CO_CHECK(stored);
  Result<CanaryView> view = co_await find_in(transaction, id);
  co_return view;
}

Async<CanaryView> change_in(PgTransaction& transaction, const std::string& id,
                            const CanaryChange& change) {
  HONE_CO_TRY(const LockedCanary canary, co_await lock_in(transaction, id));
  CanaryStep step;
  HONE_CO_TRY(step.status, change(canary.view.status));
  const Result<void> stored = co_await store_status(transaction, canary, step);
  HONE_CO_CHECK(stored);
  transaction.changes_target(canary.view.spec.target);
  transaction.changes_from(Json{{"state", to_string(canary.view.status.state)}});
  transaction.changes_to(Json{{"state", to_string(step.status.state)}});
  Result<CanaryView> view = co_await find_in(transaction, id);
  co_return view;
}

}  // namespace

Async<void> CanaryStore::put_service(std::string target, ServiceSpec spec, std::string by) {
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

Async<ServiceSpec> CanaryStore::find_service(std::string target) {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFindService, only(target)));
  if (found.empty()) {
    co_return fail(ErrorCode::not_found, "no service of target '" + target + "' is described");
  }
  co_return parse_service_spec(found.first().json("spec"), UnknownKeys::ignore);
}

Async<CanaryView> CanaryStore::create(CanarySpec spec, std::string created_by) {
  const auto body = [&](PgTransaction& transaction) {
    return create_in(transaction, spec, created_by);
  };
  Result<CanaryView> created = co_await in_transaction<CanaryView>(pool_, body);
  co_return created;
}

Async<CanaryView> CanaryStore::find(std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("canary", id);
  }
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFind, only(id)));
  if (found.empty()) {
    co_return no_such("canary", id);
  }
  co_return read_canary(found.first());
}

Async<Page<CanaryView>> CanaryStore::list(Reader reader, std::optional<std::string> target,
                                          PageRequest page) {
  HONE_CO_CHECK(check_limit(page));
  HONE_CO_TRY(const std::optional<std::int64_t> before, number_cursor(page));
  PgParams wanted;
  reader.targets ? wanted.text_array(*reader.targets) : wanted.null();
  target ? wanted.text(*target) : wanted.null();
  wanted.integer(before).integer(page.limit + 1);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kList, std::move(wanted)));
  Page<CanaryView> list;
  const int shown = std::min(found.size(), static_cast<int>(page.limit));
  for (int i = 0; i < shown; ++i) {
    list.items.push_back(read_canary(found.row(i)));
  }
  if (found.size() > shown) {
    list.next_cursor = found.row(shown - 1).text("number");
  }
  co_return list;
}

Async<std::vector<CanaryDecision>> CanaryStore::decisions(std::string id) {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kDecisions, only(id)));
  std::vector<CanaryDecision> trail;
  for (int i = 0; i < found.size(); ++i) {
    const PgRow row = found.row(i);
    trail.push_back({row.text("at"), row.one_of("state", parse_canary_state),
                     static_cast<int>(row.integer("share")), row.integer("windows"),
                     row.text("reason"), json_or_null(row, "judgement")});
  }
  co_return trail;
}

Async<std::vector<CanaryWindow>> CanaryStore::windows(std::string id) {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kWindows, only(id)));
  std::vector<CanaryWindow> windows;
  for (int i = 0; i < found.size(); ++i) {
    const PgRow row = found.row(i);
    windows.push_back({row.integer("number"), row.number("start"), row.number("seconds"),
                       static_cast<int>(row.integer("share")), row.json("baseline"),
                       row.json("canary_group")});
  }
  co_return windows;
}

Async<std::vector<CanaryView>> CanaryStore::take_due(std::string owner, std::int64_t seconds) {
  PgParams params;
  params.text(owner).integer(seconds);
  HONE_CO_TRY(const PgResult taken, co_await pool_.execute(kTake, std::move(params)));
  std::vector<CanaryView> due;
  for (int i = 0; i < taken.size(); ++i) {
    Result<CanaryView> canary = co_await find(taken.row(i).text("id"));
    HONE_CO_TRY(CanaryView view, std::move(canary));
    due.push_back(std::move(view));
  }
  co_return due;
}

Async<CanaryView> CanaryStore::advance(std::string id, std::int64_t revision, CanaryStep step) {
  const auto body = [&](PgTransaction& transaction) {
    return advance_in(transaction, id, revision, step);
  };
  Result<CanaryView> advanced = co_await in_transaction<CanaryView>(pool_, body);
  co_return advanced;
}

Async<CanaryView> CanaryStore::change(std::string id, CanaryChange change) {
  const auto body = [&](PgTransaction& transaction) { return change_in(transaction, id, change); };
  Result<CanaryView> changed = co_await in_transaction<CanaryView>(pool_, body);
  co_return changed;
}

Async<void> CanaryStore::renew_serving(std::string id, std::int64_t seconds) {
  PgParams params;
  params.text(id).integer(seconds);
  HONE_CO_CHECK(co_await pool_.execute(kRenew, std::move(params)));
  co_return Result<void>();
}

Async<bool> CanaryStore::may_serve(std::string id) {
  if (!is_uuid(id)) {
    co_return false;
  }
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kMayServe, only(id)));
  co_return !found.empty();
}

Async<bool> CanaryStore::add_experience(std::string id, Json line) {
  PgParams params;
  params.text(id).text(dump_json(line));
  HONE_CO_TRY(const PgResult added, co_await pool_.execute(kAddExperience, std::move(params)));
  co_return added.affected() > 0;
}

}  // namespace hone
