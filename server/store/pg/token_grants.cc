// TokenStore: what confined tokens are granted, one target at a time.
#include "server/store/pg/token_grants.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "server/store/pg/pg_params.h"
#include "server/store/pg/pg_result.h"
#include "server/store/pg/records.h"
#include "server/store/pg/token_records.h"
#include "server/store/token_store.h"

namespace hone {
namespace {

const PgStatement kGrant{"token_grant", R"sql(
INSERT INTO token_grants (token, target, rights)
SELECT k.number, $2, $3::text[]::target_right[] FROM tokens k WHERE k.id = $1::uuid
ON CONFLICT (token, target) DO UPDATE SET rights = excluded.rights)sql",
                         Repeat::unsafe};
const PgStatement kUngrant{"token_ungrant", R"sql(
DELETE FROM token_grants g USING tokens k
WHERE g.token = k.number AND k.id = $1::uuid AND g.target = $2)sql",
                           Repeat::unsafe};

Async<TokenView> grant_in(PgTransaction& transaction, const std::string& id,
                          const std::string& target, TargetRights rights) {
  HONE_CO_TRY(const TokenView before, co_await lock_token(transaction, id));
  if (!before.grants) {
    co_return fail(ErrorCode::conflict, "the token '" + before.name +
                                            "' counts for all targets: make one that is confined");
  }
  if (!before.grants->contains(target) && before.grants->size() >= kMaxGrants) {
    co_return bad_token("/target", "is one too many: a token has at most " +
                                       std::to_string(kMaxGrants) + " grants");
  }
  HONE_CO_CHECK(co_await add_grant(transaction, id, target, rights));
  HONE_CO_TRY(TokenView after, co_await lock_token(transaction, id));
  transaction.changes_target(target);
  transaction.changes_from(grants_json(before.grants));
  transaction.changes_to(grants_json(after.grants));
  co_return after;
}

Async<TokenView> ungrant_in(PgTransaction& transaction, const std::string& id,
                            const std::string& target) {
  HONE_CO_TRY(const TokenView before, co_await lock_token(transaction, id));
  PgParams both;
  both.text(id).text(target);
  HONE_CO_TRY(const PgResult removed, co_await transaction.execute(kUngrant, std::move(both)));
  if (removed.affected() == 0) {
    co_return no_such("grant of the token '" + before.name + "' for target", target);
  }
  HONE_CO_TRY(TokenView after, co_await lock_token(transaction, id));
  transaction.changes_target(target);
  transaction.changes_from(grants_json(before.grants));
  transaction.changes_to(grants_json(after.grants));
  co_return after;
}

}  // namespace

Async<void> add_grant(PgTransaction& transaction, std::string token, std::string target,
                      TargetRights rights) {
  rights.add(TargetRight::read);
  PgParams row;
  row.text(token).text(target).text_array(spellings(rights));
  HONE_CO_CHECK(co_await transaction.execute(kGrant, std::move(row)));
  co_return Result<void>();
}

Json grants_json(const std::optional<TargetGrants>& grants) {
  if (!grants) {
    return {};
  }
  Json list = Json::object();
  for (const auto& [target, rights] : *grants) {
    list[target] = spellings(rights);
  }
  return list;
}

Async<TokenView> TokenStore::grant(std::string id, std::string target, TargetRights rights) {
  const auto body = [&](PgTransaction& transaction) {
    return grant_in(transaction, id, target, rights);
  };
  Result<TokenView> granted = co_await in_transaction<TokenView>(pool_, body);
  co_return granted;
}

Async<TokenView> TokenStore::revoke_grant(std::string id, std::string target) {
  const auto body = [&](PgTransaction& transaction) { return ungrant_in(transaction, id, target); };
  Result<TokenView> left = co_await in_transaction<TokenView>(pool_, body);
  co_return left;
}

}  // namespace hone
