#include "server/store/token_store.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "common/protocol/names.h"
#include "server/store/pg/pg_params.h"
#include "server/store/pg/pg_result.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"
#include "server/store/pg/token_grants.h"
#include "server/store/pg/token_records.h"
#include "server/store/pg/token_secrets.h"

namespace hone {
namespace {

const PgStatement kCreate{"token_create", R"sql(
INSERT INTO tokens (name, role, secret_sha256, confined, expires_at)
VALUES ($1, $2, $3, $4, now() + $5::bigint * interval '1 second') RETURNING id)sql",
                          Repeat::unsafe};

const PgStatement kList{"token_list",
                        std::string("SELECT ") + kTokenColumns +
                            " FROM tokens k WHERE k.revoked_at IS NULL ORDER BY k.number",
                        Repeat::safe};
const PgStatement kFindName{"token_find_name",
                            std::string("SELECT ") + kTokenColumns +
                                " FROM tokens k WHERE k.name = $1 AND k.revoked_at IS NULL",
                            Repeat::safe};

const PgStatement kNotGood{"token_not_good", R"sql(
SELECT wanted.id FROM unnest($1::text[]) AS wanted (id)
WHERE NOT EXISTS (
  SELECT FROM tokens k
  WHERE k.id = wanted.id::uuid AND k.revoked_at IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > now())))sql",
                           Repeat::safe};

Json summary_of(const TokenView& token) {
  return Json{{"name", token.name},
              {"role", to_string(token.role)},
              {"grants", grants_json(token.grants)},
              {"expires_at", token.expires_at.empty() ? Json() : Json(token.expires_at)}};
}

Async<TokenView> create_in(PgTransaction& transaction, const std::string& name, Role role,
                           const TokenScope& scope, const std::string& secret) {
  const bool limited = scope.grants.has_value() || scope.expires_in_s.has_value();
  PgParams params;
  params.text(name)
      .text(to_string(role))
      .text(limited ? limited_secret_hash(secret) : plain_secret_hash(secret));
  params.truth(scope.grants.has_value()).integer(scope.expires_in_s);
  PgOutcome<PgResult> created = co_await transaction.execute(kCreate, std::move(params));
  if (!created && created.error().constraint == "tokens_name_in_use") {
    co_return fail(ErrorCode::conflict, "a token named '" + name + "' is in use already");
  }
  HONE_CO_TRY(const PgResult row, std::move(created));
  const std::string id = row.first().text("id");
  if (scope.grants) {
    for (const auto& [target, rights] : *scope.grants) {
      HONE_CO_CHECK(co_await add_grant(transaction, id, target, rights));
    }
  }
  HONE_CO_TRY(TokenView made, co_await lock_token(transaction, id));
  transaction.changes_object(id);
  transaction.changes_to(summary_of(made));
  co_return made;
}

}  // namespace

Async<NewToken> TokenStore::create(std::string name, Role role, TokenScope scope,
                                   std::string secret) {
  if (!is_valid_name(name)) {
    co_return bad_token("/name", "must be a name: a-z or 0-9, then at most 62 of a-z 0-9 . _ -");
  }
  if (scope.grants && scope.grants->size() > kMaxGrants) {
    co_return bad_token("/grants", "must hold at most " + std::to_string(kMaxGrants));
  }
  NewToken made;
  made.secret = std::move(secret);
  const auto body = [&](PgTransaction& transaction) {
    return create_in(transaction, name, role, scope, made.secret);
  };
  Result<TokenView> created = co_await in_transaction<TokenView>(pool_, body);
  HONE_CO_TRY(made.view, std::move(created));
  co_return made;
}

Async<std::vector<TokenView>> TokenStore::list() {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kList, PgParams()));
  std::vector<TokenView> tokens;
  tokens.reserve(static_cast<std::size_t>(found.size()));
  for (int i = 0; i < found.size(); ++i) {
    tokens.push_back(read_token(found.row(i)));
  }
  co_return tokens;
}

Async<std::vector<std::string>> TokenStore::not_good(std::vector<std::string> ids) {
  PgParams params;
  params.text_array(ids);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kNotGood, std::move(params)));
  std::vector<std::string> gone;
  for (int i = 0; i < found.size(); ++i) {
    gone.push_back(found.row(i).text("id"));
  }
  co_return gone;
}

Async<TokenView> TokenStore::find(std::string id_or_name) {
  PgParams params;
  params.text(id_or_name);
  const PgStatement& statement = is_uuid(id_or_name) ? find_token_statement() : kFindName;
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(statement, std::move(params)));
  if (found.empty()) {
    co_return no_such("token", id_or_name);
  }
  co_return read_token(found.first());
}

}  // namespace hone
