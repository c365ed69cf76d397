#include "server/store/pg/policy_promotion.h"

#include "server/store/pg/policy_keys.h"
#include "server/store/pg/policy_publish.h"
#include "server/store/pg/service_budget.h"

namespace hone {
namespace {

const PgStatement kLock{"policy_promotion_lock",
                        "SELECT number FROM targets WHERE name = $1 FOR NO KEY UPDATE",
                        Repeat::unsafe};
const PgStatement kFindVersion{"policy_promotion_version",
                               std::string(kSelectPolicy) + "WHERE t.name = $1 AND p.version = $2",
                               Repeat::safe};
const PgStatement kFindPromoted{"policy_promotion_promoted",
                                std::string(kSelectPolicy) + "WHERE t.name = $1 AND p.promoted",
                                Repeat::safe};
// Two statements: the index that allows one promoted version looks at every row as it is changed.
const PgStatement kDemote{"policy_promote_demote", R"sql(
UPDATE policies p SET promoted = false
FROM targets t WHERE t.number = p.target AND t.name = $1 AND p.promoted)sql",
                          Repeat::unsafe};
const PgStatement kPromote{"policy_promote", R"sql(
UPDATE policies p SET promoted = true
FROM targets t WHERE t.number = p.target AND t.name = $1 AND p.version = $2)sql",
                           Repeat::unsafe};

PgParams only(const std::string& text) {
  PgParams params;
  params.text(text);
  return params;
}

PgParams both(const std::string& target, std::int64_t version) {
  PgParams params;
  params.text(target).integer(version);
  return params;
}

}  // namespace

Async<PromotablePolicy> promotable_policy_in(PgTransaction& transaction, std::string target,
                                             std::int64_t version) {
  const std::string which = "version " + std::to_string(version) + " of policy '" + target + "'";
  HONE_CO_CHECK(co_await transaction.execute(kLock, only(target)));
  HONE_CO_TRY(const PgResult found,
              co_await transaction.execute(kFindVersion, both(target, version)));
  if (found.empty()) {
    co_return fail(ErrorCode::not_found, "no " + which);
  }
  PromotablePolicy policy{read_policy_version(found.first()), std::nullopt};
  if (policy.version.promoted) {
    policy.in_force = version;
    co_return policy;
  }
  HONE_CO_TRY(const bool signatures, co_await needs_signature(transaction, target));
  if (signatures && !policy.version.is_signed) {
    co_return fail(ErrorCode::conflict,
                   which +
                       " is not signed, which this target asks for: sign it and attach the "
                       "signature");
  }
  if (signatures) {
    const Result<void> good = co_await check_signature(
        transaction, target, found.first().text("document"), found.first().text("signature"));
    HONE_CO_CHECK(good);
  }
  HONE_CO_TRY(const PgResult now, co_await transaction.execute(kFindPromoted, only(target)));
  if (!now.empty()) {
    policy.in_force = now.first().integer("version");
    if (now.first().integer("sequence") > policy.version.sequence) {
      co_return fail(ErrorCode::conflict, which + " is older than the promoted version " +
                                              now.first().text("version") +
                                              ", and launchers refuse to go back: use rollback");
    }
  }
  HONE_CO_TRY(const bool spent, co_await budget_is_spent(transaction, target));
  if (spent && policy.in_force) {
    co_return fail(ErrorCode::conflict,
                   "the error budget of the service of '" + target + "' is spent: version " +
                       std::to_string(*policy.in_force) +
                       ", which is known to be good, stays in force until the objective's window "
                       "moves on or the objective is described anew (hone service set)");
  }
  co_return policy;
}

Async<PolicyChange> promote_policy_in(PgTransaction& transaction, std::string target,
                                      std::int64_t version) {
  Result<PromotablePolicy> found = co_await promotable_policy_in(transaction, target, version);
  HONE_CO_TRY(PromotablePolicy policy, std::move(found));
  PolicyChange change{std::move(policy.version), policy.in_force};
  if (!change.now.promoted) {
    HONE_CO_CHECK(co_await transaction.execute(kDemote, only(target)));
    HONE_CO_CHECK(co_await transaction.execute(kPromote, both(target, version)));
    change.now.promoted = true;
  }
  co_return change;
}

}  // namespace hone
