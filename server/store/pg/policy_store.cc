#include "server/store/policy_store.h"

#include <nlohmann/json.hpp>

#include "common/protocol/fields.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/policy_keys.h"
#include "server/store/pg/policy_promotion.h"
#include "server/store/pg/policy_publish.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

const PgStatement kFindPromoted{"policy_find_promoted",
                                std::string(kSelectPolicy) + "WHERE t.name = $1 AND p.promoted",
                                Repeat::safe};
const PgStatement kFindVersion{"policy_find_version",
                               std::string(kSelectPolicy) + "WHERE t.name = $1 AND p.version = $2",
                               Repeat::safe};
const PgStatement kVersions{
    "policy_versions", std::string(kSelectPolicy) + "WHERE t.name = $1 ORDER BY p.version DESC",
    Repeat::safe};
const PgStatement kHasTarget{"policy_has_target", "SELECT FROM targets WHERE name = $1",
                             Repeat::safe};

const PgStatement kLock{"policy_promote_lock",
                        "SELECT number FROM targets WHERE name = $1 FOR NO KEY UPDATE",
                        Repeat::unsafe};
const PgStatement kAttach{"policy_attach", R"sql(
UPDATE policies p SET signature = $3
FROM targets t WHERE t.number = p.target AND t.name = $1 AND p.version = $2)sql",
                          Repeat::unsafe};

std::string version_of(std::int64_t version, const std::string& target) {
  return "version " + std::to_string(version) + " of policy '" + target + "'";
}

PolicyDocument read_document(const PgRow& row) {
  return {read_policy_version(row), row.text("document"), row.text("signature")};
}

Async<PolicyVersion> promote_in(PgTransaction& transaction, const std::string& target,
                                std::int64_t version) {
  Result<PolicyChange> promoted = co_await promote_policy_in(transaction, target, version);
  HONE_CO_TRY(const PolicyChange change, std::move(promoted));
  if (change.before == version) {
    transaction.changed_nothing();
  } else {
    transaction.changes_from(Json{{"promoted", null_if_absent(change.before)}});
    transaction.changes_to(Json{{"promoted", version}, {"sha256", change.now.sha256}});
  }
  co_return change.now;
}

Async<PolicyVersion> rollback_in(PgTransaction& transaction, const std::string& target,
                                 std::int64_t version, const std::string& created_by) {
  PgParams both;
  both.text(target).integer(version);
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFindVersion, std::move(both)));
  if (found.empty()) {
    co_return fail(ErrorCode::not_found, "no " + version_of(version, target));
  }
  const PolicyDocument old = read_document(found.first());
  HONE_CO_TRY(const bool signatures, co_await needs_signature(transaction, target));
  if (old.version.is_signed || signatures) {
    const std::string number = std::to_string(version);
    co_return fail(ErrorCode::conflict,
                   version_of(version, target) +
                       (old.version.is_signed ? " is signed" : " would need a signature") +
                       ", and going back needs a new sequence number, which only who has the "
                       "secret key can sign: hone policy show " +
                       target + " --version " + number +
                       " > FILE, hone policy sign FILE --key KEY --sequence NUMBER with a number "
                       "above all that were published, hone policy push " +
                       target + " FILE --promote");
  }
  NewPolicy again;
  again.target = target;
  again.document = old.document;
  again.campaign = old.version.campaign;
  again.candidate = old.version.candidate;
  again.created_by = created_by;
  again.promotion = Promotion::promote;
  transaction.changes_from(Json{{"rolled_back_to", version}});
  Result<PolicyVersion> published = co_await publish_in(transaction, std::move(again));
  co_return published;
}

Async<PolicyVersion> attach_in(PgTransaction& transaction, const std::string& target,
                               std::int64_t version, const std::string& signature) {
  PgParams name;
  name.text(target);
  PgParams both;
  both.text(target).integer(version);
  HONE_CO_CHECK(co_await transaction.execute(kLock, name));
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFindVersion, both));
  if (found.empty()) {
    co_return fail(ErrorCode::not_found, "no " + version_of(version, target));
  }
  const PolicyDocument document = read_document(found.first());
  const Result<void> good =
      co_await check_signature(transaction, target, document.document, signature);
  HONE_CO_CHECK(good);
  if (document.signature == signature) {
    transaction.changed_nothing();
    co_return document.version;
  }
  PgParams row = both;
  row.text(signature);
  HONE_CO_CHECK(co_await transaction.execute(kAttach, std::move(row)));
  transaction.changes_from(Json{{"signed", document.version.is_signed}});
  transaction.changes_to(Json{{"signed", true}, {"version", version}});
  HONE_CO_TRY(const PgResult after, co_await transaction.execute(kFindVersion, std::move(both)));
  co_return read_policy_version(after.first());
}

}  // namespace

Async<PolicyVersion> PolicyStore::publish(NewPolicy policy) {
  const auto body = [&](PgTransaction& transaction) { return publish_in(transaction, policy); };
  Result<PolicyVersion> published = co_await in_transaction<PolicyVersion>(pool_, body);
  co_return published;
}

Async<PolicyDocument> PolicyStore::find_promoted(std::string target) {
  PgParams params;
  params.text(target);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFindPromoted, std::move(params)));
  if (found.empty()) {
    co_return fail(ErrorCode::not_found, "target '" + target + "' has no promoted policy");
  }
  co_return read_document(found.first());
}

Async<PolicyDocument> PolicyStore::find_version(std::string target, std::int64_t version) {
  PgParams params;
  params.text(target).integer(version);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFindVersion, std::move(params)));
  if (found.empty()) {
    co_return fail(ErrorCode::not_found, "no " + version_of(version, target));
  }
  co_return read_document(found.first());
}

Async<std::vector<PolicyVersion>> PolicyStore::versions(std::string target) {
  PgParams params;
  params.text(target);
  HONE_CO_TRY(const PgResult known, co_await pool_.execute(kHasTarget, params));
  if (known.empty()) {
    co_return no_such("target", target);
  }
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kVersions, std::move(params)));
  std::vector<PolicyVersion> versions;
  versions.reserve(static_cast<std::size_t>(found.size()));
  for (int i = 0; i < found.size(); ++i) {
    versions.push_back(read_policy_version(found.row(i)));
  }
  co_return versions;
}

Async<PolicyVersion> PolicyStore::attach_signature(std::string target, std::int64_t version,
                                                   std::string signature) {
  const auto body = [&](PgTransaction& transaction) {
    return attach_in(transaction, target, version, signature);
  };
  Result<PolicyVersion> attached = co_await in_transaction<PolicyVersion>(pool_, body);
  co_return attached;
}

Async<PolicyVersion> PolicyStore::promote(std::string target, std::int64_t version) {
  const auto body = [&](PgTransaction& transaction) {
    return promote_in(transaction, target, version);
  };
  Result<PolicyVersion> promoted = co_await in_transaction<PolicyVersion>(pool_, body);
  co_return promoted;
}

Async<void> PolicyStore::check_promotion(std::string target, std::int64_t version) {
  const auto body = [&](PgTransaction& transaction) -> Async<bool> {
    const Result<PromotablePolicy> found =
        co_await promotable_policy_in(transaction, target, version);
    HONE_CO_CHECK(found);
    co_return true;
  };
  const Result<bool> may = co_await in_transaction<bool>(pool_, body);
  HONE_CO_CHECK(may);
  co_return Result<void>();
}

Async<PolicyVersion> PolicyStore::rollback(std::string target, std::int64_t version,
                                           std::string created_by) {
  const auto body = [&](PgTransaction& transaction) {
    return rollback_in(transaction, target, version, created_by);
  };
  Result<PolicyVersion> rolled = co_await in_transaction<PolicyVersion>(pool_, body);
  co_return rolled;
}

}  // namespace hone
