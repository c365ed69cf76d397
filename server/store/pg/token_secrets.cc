// TokenStore: secrets made, recognised and replaced.
#include "server/store/pg/token_secrets.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "common/base/token.h"
#include "server/store/pg/pg_params.h"
#include "server/store/pg/pg_result.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/token_records.h"
#include "server/store/token_store.h"

namespace hone {
namespace {

// Whose secret hashes to $1, or to $2 for one that is limited. One that is over is found, too:
// who has its secret may know that.
const std::string kHasSecret = R"sql((secret_sha256 IN ($1, $2)
         OR (old_secret_sha256 IN ($1, $2) AND old_secret_until > now()))
    AND revoked_at IS NULL)sql";

// A SELECT that is followed, at most once a minute, by a write nobody waits for the result of.
const PgStatement kAuthenticate{"token_authenticate",
                                R"sql(
WITH found AS (
  SELECT number FROM tokens WHERE )sql" +
                                    kHasSecret + R"sql(
), touched AS (
  UPDATE tokens SET last_used_at = now()
  FROM found
  WHERE tokens.number = found.number AND (expires_at IS NULL OR expires_at > now())
    AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
)
SELECT )sql" + kTokenColumns + " FROM tokens k JOIN found USING (number)",
                                Repeat::safe};

// For a database that takes no writes: whoever may read still can.
const PgStatement kAuthenticateOnly{
    "token_authenticate_only",
    std::string("SELECT ") + kTokenColumns + " FROM tokens k WHERE " + kHasSecret, Repeat::safe};

const PgStatement kRotate{"token_rotate", R"sql(
UPDATE tokens
SET secret_sha256 = $2, rotated_at = now(),
    old_secret_sha256 = CASE WHEN $3::bigint > 0 THEN secret_sha256 END,
    old_secret_until = CASE WHEN $3::bigint > 0 THEN now() + $3::bigint * interval '1 second' END
WHERE id = $1::uuid)sql",
                          Repeat::unsafe};

Async<TokenView> rotate_in(PgTransaction& transaction, const std::string& id,
                           const std::string& secret, std::int64_t old_for_s) {
  HONE_CO_TRY(const TokenView before, co_await lock_token(transaction, id));
  if (before.expired) {
    co_return fail(ErrorCode::conflict,
                   "the token '" + before.name + "' expired at " + before.expires_at +
                       ", and another secret would be refused, too: revoke it and make another");
  }
  const bool limited = before.grants.has_value() || !before.expires_at.empty();
  PgParams row;
  row.text(id)
      .text(limited ? limited_secret_hash(secret) : plain_secret_hash(secret))
      .integer(old_for_s);
  HONE_CO_CHECK(co_await transaction.execute(kRotate, std::move(row)));
  HONE_CO_TRY(TokenView after, co_await lock_token(transaction, id));
  transaction.changes_to(
      Json{{"name", after.name},
           {"old_secret_until",
            after.old_secret_until.empty() ? Json() : Json(after.old_secret_until)}});
  co_return after;
}

}  // namespace

std::string plain_secret_hash(const std::string& secret) {
  return sha256_hex(secret);
}

std::string limited_secret_hash(const std::string& secret) {
  return sha256_hex("limited " + secret);
}

std::string TokenStore::make_secret() {
  return "hone_" + random_hex(32);
}

Async<TokenView> TokenStore::authenticate(std::string secret) {
  PgParams params;
  params.text(plain_secret_hash(secret)).text(limited_secret_hash(secret));
  PgOutcome<PgResult> answer = co_await pool_.execute(kAuthenticate, params);
  if (!answer && answer.error().takes_no_writes()) {
    answer = co_await pool_.execute(kAuthenticateOnly, std::move(params));
  }
  HONE_CO_TRY(const PgResult found, std::move(answer));
  if (found.empty()) {
    co_return fail(ErrorCode::unauthenticated, "the token is not known or was revoked");
  }
  TokenView token = read_token(found.first());
  if (token.expired) {
    co_return fail(ErrorCode::unauthenticated, "the token '" + token.name + "' expired at " +
                                                   token.expires_at + ": ask an admin for another");
  }
  const bool is_new = plain_secret_hash(secret).starts_with(token.generation) ||
                      limited_secret_hash(secret).starts_with(token.generation);
  token.shown = is_new ? token.generation : token.old_generation;
  co_return token;
}

Async<NewToken> TokenStore::rotate(std::string id, std::int64_t old_for_s) {
  NewToken made;
  made.secret = make_secret();
  const auto body = [&](PgTransaction& transaction) {
    return rotate_in(transaction, id, made.secret, old_for_s);
  };
  Result<TokenView> rotated = co_await in_transaction<TokenView>(pool_, body);
  HONE_CO_TRY(made.view, std::move(rotated));
  co_return made;
}

}  // namespace hone
