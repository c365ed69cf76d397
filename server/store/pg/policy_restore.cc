#include "server/store/pg/policy_keys.h"
#include "server/store/pg/policy_publish.h"
#include "server/store/policy_store.h"

namespace hone {
namespace {

const PgStatement kLeaveGap{"policy_leave_gap", R"sql(
INSERT INTO restores (restored_at, policy_gap)
SELECT greatest(clock_timestamp(), max(created_at)), $1 FROM policies)sql",
                            Repeat::unsafe};

const PgStatement kInForce{"policy_restore_in_force",
                           "SELECT t.name FROM policies p JOIN targets t ON t.number = p.target "
                           "WHERE p.promoted ORDER BY t.name",
                           Repeat::safe};
const PgStatement kFindPromoted{"policy_restore_promoted",
                                std::string(kSelectPolicy) + "WHERE t.name = $1 AND p.promoted",
                                Repeat::safe};
const PgStatement kCanary{"policy_restore_canary",
                          "SELECT c.id FROM canaries c JOIN targets t ON t.number = c.target "
                          "WHERE t.name = $1 AND c.ended_at IS NULL",
                          Repeat::safe};

PgParams only(const std::string& text) {
  PgParams params;
  params.text(text);
  return params;
}

// Of a target that has a policy in force; nobody else writes to a database that is being restored.
Async<RestoredPolicy> number_anew_in(PgTransaction& transaction, const std::string& target,
                                     const std::string& created_by) {
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFindPromoted, only(target)));
  if (found.empty()) {
    co_return fail(ErrorCode::not_found, "target '" + target + "' has no promoted policy");
  }
  const PolicyVersion before = read_policy_version(found.first());
  RestoredPolicy restored;
  restored.target = target;
  restored.version = before.version;
  HONE_CO_TRY(restored.sequence, co_await next_sequence_in(transaction, target));
  HONE_CO_TRY(const bool signatures, co_await needs_signature(transaction, target));
  if (before.is_signed || signatures) {
    restored.end = RestoredPolicy::End::wants_signature;
    co_return restored;
  }
  // It is about a version that it may promote, which is older than what would be published here.
  HONE_CO_TRY(const PgResult canary, co_await transaction.execute(kCanary, only(target)));
  if (!canary.empty()) {
    restored.end = RestoredPolicy::End::has_canary;
    restored.canary = canary.first().text("id");
    co_return restored;
  }
  NewPolicy again;
  again.target = target;
  again.document = found.first().text("document");
  again.campaign = before.campaign;
  again.candidate = before.candidate;
  again.created_by = created_by;
  again.promotion = Promotion::promote;
  Result<PolicyVersion> published = co_await publish_in(transaction, std::move(again));
  HONE_CO_TRY(const PolicyVersion now, std::move(published));
  restored.sequence = now.sequence;
  const Result<void> logged = co_await log_publication_in(transaction, now);
  HONE_CO_CHECK(logged);
  co_return restored;
}

}  // namespace

Async<void> PolicyStore::leave_gap(std::int64_t gap) {
  PgParams params;
  params.integer(gap);
  HONE_CO_CHECK(co_await pool_.execute(kLeaveGap, std::move(params)));
  co_return Result<void>();
}

Async<std::vector<RestoredPolicy>> PolicyStore::number_anew(std::string created_by) {
  HONE_CO_TRY(const PgResult targets, co_await pool_.execute(kInForce, PgParams()));
  std::vector<RestoredPolicy> all;
  for (int i = 0; i < targets.size(); ++i) {
    const std::string target = targets.row(i).text("name");
    const auto body = [&](PgTransaction& transaction) {
      return number_anew_in(transaction, target, created_by);
    };
    Result<RestoredPolicy> one = co_await in_transaction<RestoredPolicy>(pool_, body);
    HONE_CO_TRY(RestoredPolicy restored, std::move(one));
    all.push_back(std::move(restored));
  }
  co_return all;
}

}  // namespace hone
