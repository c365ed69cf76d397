// What becomes of canaries: who drives them, and their steps. A promotion puts the policy in force
// in the same transaction: both, or neither.
#include <exception>
#include <optional>

#include "common/base/log.h"
#include "common/protocol/fields.h"
#include "server/store/canary_store.h"
#include "server/store/pg/audit_log.h"
#include "server/store/pg/canary_records.h"
#include "server/store/pg/policy_promotion.h"
#include "server/store/pg/service_budget.h"

namespace hone {
namespace {

// Rows that another coordinator is writing are left to it.
const PgStatement kTake{"canary_take", R"sql(
WITH free AS (
  SELECT number FROM canaries c
  WHERE (ended_at IS NULL OR NOT follows
         OR NOT EXISTS (SELECT FROM experiences e WHERE e.canary = c.number))
    AND (owner = $1 OR owner IS NULL OR owner_until < now())
  ORDER BY number FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE canaries c SET owner = $1, owner_until = now() + $2::bigint * interval '1 second'
FROM free WHERE c.number = free.number
RETURNING c.id)sql",
                        Repeat::unsafe};

const PgStatement kLetGo{"canary_let_go", R"sql(
UPDATE canaries SET owner = NULL, owner_until = NULL WHERE id = $1::uuid AND owner = $2)sql",
                         Repeat::safe};

const PgStatement kAdvance{"canary_advance", R"sql(
UPDATE canaries
SET state = $2::canary_state, step = $3, step_windows = $4, lost_windows = $5, share = $6::smallint, reason = $7, cause = $11,
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

// Of its driver alone, as he knows it, and once: sent again behind an outage it would let a canary
// have traffic that nobody has looked at since.
const PgStatement kRenew{"canary_renew", R"sql(
UPDATE canaries SET serving_until = now() + $4::bigint * interval '1 second'
WHERE id = $1::uuid AND owner = $2 AND revision = $3 AND share > 0)sql",
                         Repeat::unsafe};

// Its reason may change while its state does not, and tells what it waits for.
bool waits(CanaryState state) {
  return state == CanaryState::prepared || state == CanaryState::judged;
}

bool is_promoted_by(const CanaryStatus& status, const LockedCanary& canary) {
  return status.state == CanaryState::promoted && canary.view.status.state != CanaryState::promoted;
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
  const CanaryStatus& before = canary.view.status;
  PgParams row;
  row.integer(canary.number).text(to_string(status.state));
  row.integer(static_cast<std::int64_t>(status.step));
  row.integer(static_cast<std::int64_t>(status.step_windows));
  row.integer(static_cast<std::int64_t>(status.lost_windows));
  row.integer(status.share).text(status.reason).truth(step.follows);
  for (const Json* const document : {&step.judgement, &step.budget}) {
    document->is_null() ? row.null() : row.json(*document);
  }
  row.text(to_string(status.cause));
  HONE_CO_CHECK(co_await transaction.execute(kAdvance, std::move(row)));
  if (!step.budget.is_null()) {
    const Result<void> noted =
        co_await note_budget_in(transaction, canary.view.spec.target, step.budget, canary.number);
    HONE_CO_CHECK(noted);
  }
  if (before.state != status.state || before.share != status.share ||
      (waits(status.state) && before.reason != status.reason)) {
    PgParams number;
    number.integer(canary.number);
    HONE_CO_CHECK(co_await transaction.execute(kAddDecision, std::move(number)));
  }
  co_return Result<void>();
}

// As `hone policy promote` leaves it, by honed itself.
Async<void> log_promotion(PgTransaction& transaction, const CanaryView& canary,
                          const PolicyChange& change) {
  AuditEntry entry;
  entry.action = "policy.promote";
  entry.kind = "policy";
  entry.object = entry.target = canary.spec.target;
  entry.before = dump_json({{"promoted", null_if_absent(change.before)}});
  entry.after = dump_json(
      {{"promoted", change.now.version}, {"sha256", change.now.sha256}, {"canary", canary.id}});
  HONE_CO_CHECK(co_await transaction.execute(audit_statement(), audit_params(entry)));
  co_return Result<void>();
}

Async<CanaryView> advance_in(PgTransaction& transaction, const std::string& id,
                             std::int64_t revision, const CanaryStep& step) {
  HONE_CO_TRY(const LockedCanary canary, co_await lock_canary(transaction, id));
  if (canary.view.revision != revision) {
    co_return fail(ErrorCode::conflict, "the canary was changed meanwhile");
  }
  const Result<void> stored = co_await store_status(transaction, canary, step);
  HONE_CO_CHECK(stored);
  if (is_promoted_by(step.status, canary)) {
    Result<PolicyChange> promoted = co_await promote_policy_in(transaction, canary.view.spec.target,
                                                               canary.view.spec.policy_version);
    HONE_CO_TRY(const PolicyChange policy, std::move(promoted));
    if (policy.before != policy.now.version) {
      const Result<void> logged = co_await log_promotion(transaction, canary.view, policy);
      HONE_CO_CHECK(logged);
    }
  }
  Result<CanaryView> view = co_await find_canary_in(transaction, id);
  co_return view;
}

Async<CanaryView> change_in(PgTransaction& transaction, const std::string& id,
                            const CanaryChange& change) {
  HONE_CO_TRY(const LockedCanary canary, co_await lock_canary(transaction, id));
  CanaryStep step;
  HONE_CO_TRY(step.status, change(canary.view.status));
  const Result<void> stored = co_await store_status(transaction, canary, step);
  HONE_CO_CHECK(stored);
  transaction.changes_target(canary.view.spec.target);
  Json from{{"state", to_string(canary.view.status.state)}};
  Json to{{"state", to_string(step.status.state)}};
  if (is_promoted_by(step.status, canary)) {
    Result<PolicyChange> promoted = co_await promote_policy_in(transaction, canary.view.spec.target,
                                                               canary.view.spec.policy_version);
    HONE_CO_TRY(const PolicyChange policy, std::move(promoted));
    from["promoted"] = null_if_absent(policy.before);
    to["promoted"] = policy.now.version;
    to["sha256"] = policy.now.sha256;
  }
  transaction.changes_from(from);
  transaction.changes_to(to);
  Result<CanaryView> view = co_await find_canary_in(transaction, id);
  co_return view;
}

// Nothing where it is stored in words that this release does not know.
Async<std::optional<CanaryView>> find_readable(CanaryStore& store, std::string id) {
  try {
    Result<CanaryView> found = co_await store.find(id);
    HONE_CO_TRY(CanaryView view, std::move(found));
    co_return std::optional<CanaryView>(std::move(view));
  } catch (const std::exception& error) {
    log_error("canary_unreadable", {{"canary", id}, {"reason", error.what()}});
  }
  co_return std::optional<CanaryView>();
}

}  // namespace

Async<std::vector<CanaryView>> CanaryStore::take_due(std::string owner, std::int64_t seconds) {
  PgParams params;
  params.text(owner).integer(seconds);
  HONE_CO_TRY(const PgResult taken, co_await pool_.execute(kTake, std::move(params)));
  std::vector<CanaryView> due;
  for (int i = 0; i < taken.size(); ++i) {
    const std::string id = taken.row(i).text("id");
    Result<std::optional<CanaryView>> canary = co_await find_readable(*this, id);
    HONE_CO_TRY(std::optional<CanaryView> view, std::move(canary));
    if (view) {
      due.push_back(*std::move(view));
      continue;
    }
    // It is a newer honed's to drive, which is not to wait for us.
    PgParams ours;
    ours.text(id).text(owner);
    HONE_CO_CHECK(co_await pool_.execute(kLetGo, std::move(ours)));
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

Async<void> CanaryStore::renew_serving(std::string id, std::string owner, std::int64_t revision,
                                       std::int64_t seconds) {
  PgParams params;
  params.text(id).text(owner).integer(revision).integer(seconds);
  HONE_CO_TRY(const PgResult renewed, co_await pool_.execute(kRenew, std::move(params)));
  if (renewed.affected() == 0) {
    co_return fail(ErrorCode::conflict, "the canary was changed meanwhile, or has another driver");
  }
  co_return Result<void>();
}

}  // namespace hone
