// TokenStore: tokens revoked, and that an admin token is left.
#include <utility>

#include <nlohmann/json.hpp>

#include "server/store/pg/pg_params.h"
#include "server/store/pg/pg_result.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"
#include "server/store/token_store.h"

namespace hone {
namespace {

const PgStatement kRevoke{"token_revoke",
                          "UPDATE tokens SET revoked_at = now() "
                          "WHERE id = $1::uuid AND revoked_at IS NULL RETURNING name",
                          Repeat::unsafe};

// All of them, in one order: of two revocations at once the second sees what the first one left.
const PgStatement kLockAdmins{
    "token_lock_admins",
    "SELECT number FROM tokens WHERE role = 'admin' AND revoked_at IS NULL "
    "ORDER BY number FOR NO KEY UPDATE",
    Repeat::unsafe};
// Nothing unless it is the last admin token of its kind.
const PgStatement kIsLastAdmin{"token_is_last_admin", R"sql(
SELECT k.name, k.expires_at IS NULL AS lasting
FROM tokens k
WHERE k.id = $1::uuid AND k.role = 'admin' AND k.revoked_at IS NULL
  AND (k.expires_at IS NULL OR k.expires_at > now())
  AND NOT EXISTS (
    SELECT FROM tokens other
    WHERE other.role = 'admin' AND other.revoked_at IS NULL AND other.number <> k.number
      AND (other.expires_at IS NULL
           OR (k.expires_at IS NOT NULL AND other.expires_at > now()))))sql",
                               Repeat::safe};

const PgStatement kHasAdmin{"token_has_admin",
                            "SELECT EXISTS (SELECT FROM tokens "
                            "WHERE role = 'admin' AND revoked_at IS NULL "
                            "AND (expires_at IS NULL OR expires_at > now())) AS found",
                            Repeat::safe};

Async<void> revoke_in(PgTransaction& transaction, const std::string& id) {
  PgParams params;
  params.text(id);
  HONE_CO_CHECK(co_await transaction.execute(kLockAdmins, PgParams()));
  HONE_CO_TRY(const PgResult last, co_await transaction.execute(kIsLastAdmin, params));
  if (!last.empty()) {
    const bool lasting = last.first().truth("lasting");
    co_return fail(ErrorCode::conflict,
                   "'" + last.first().text("name") + "' is the last admin token" +
                       (lasting ? " that does not expire" : "") +
                       ", and without one nobody could make tokens any more: make another first "
                       "(hone token create NAME --role admin), or give this one another secret "
                       "(hone token rotate)");
  }
  HONE_CO_TRY(const PgResult revoked, co_await transaction.execute(kRevoke, std::move(params)));
  if (revoked.empty()) {
    co_return no_such("token", id);
  }
  transaction.changes_from(Json{{"name", revoked.first().text("name")}});
  co_return Result<void>();
}

}  // namespace

Async<void> TokenStore::revoke(std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("token", id);
  }
  const auto body = [&](PgTransaction& transaction) { return revoke_in(transaction, id); };
  Result<void> revoked = co_await in_transaction<void>(pool_, body);
  co_return revoked;
}

Async<bool> TokenStore::has_admin() {
  HONE_CO_TRY(const PgResult answer, co_await pool_.execute(kHasAdmin, PgParams()));
  co_return answer.first().truth("found");
}

}  // namespace hone
