#include "server/store/pg/token_records.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "common/protocol/access.h"
#include "common/protocol/values.h"
#include "server/store/pg/pg_params.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

const PgStatement kFind{"token_find",
                        std::string("SELECT ") + kTokenColumns +
                            " FROM tokens k WHERE k.id = $1::uuid AND k.revoked_at IS NULL",
                        Repeat::safe};
const PgStatement kLock{"token_lock",
                        "SELECT number FROM tokens WHERE id = $1::uuid AND revoked_at IS NULL "
                        "FOR NO KEY UPDATE",
                        Repeat::unsafe};

}  // namespace

TokenView read_token(const PgRow& row) {
  TokenView view;
  view.id = row.text("id");
  view.name = row.text("name");
  view.role = row.one_of("role", parse_role);
  view.created_at = row.text("created_at");
  view.last_used_at = row.text_or_empty("last_used_at");
  view.expires_at = row.text_or_empty("expires_at");
  view.expires_ms = row.optional_integer("expires_ms").value_or(0);
  view.expired = row.truth("expired");
  view.rotated_at = row.text_or_empty("rotated_at");
  view.old_secret_until = row.text_or_empty("old_secret_until");
  view.generation = row.text("generation");
  view.old_generation = row.text_or_empty("old_generation");
  view.old_until_ms = row.optional_integer("old_until_ms").value_or(0);
  if (!row.truth("confined")) {
    return view;
  }
  view.grants.emplace();
  if (row.is_null("grants")) {
    return view;
  }
  const Json grants = row.json("grants");
  for (const auto& [target, spelled] : grants.items()) {
    TargetRights rights;
    for (const Json& right : spelled) {
      rights.add(parse_target_right(right.get<std::string>()).value_or(TargetRight::read));
    }
    view.grants->emplace(target, rights);
  }
  return view;
}

const PgStatement& find_token_statement() {
  return kFind;
}

Async<TokenView> lock_token(PgTransaction& transaction, std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("token", id);
  }
  PgParams wanted;
  wanted.text(id);
  HONE_CO_CHECK(co_await transaction.execute(kLock, wanted));
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, std::move(wanted)));
  if (found.empty()) {
    co_return no_such("token", id);
  }
  co_return read_token(found.first());
}

Error bad_token(std::string pointer, std::string detail) {
  return Error{ErrorCode::invalid_argument, "bad token", {{std::move(pointer), std::move(detail)}}};
}

}  // namespace hone
