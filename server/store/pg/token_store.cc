#include "server/store/token_store.h"

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "common/base/token.h"
#include "common/protocol/names.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

// k: the token.
const std::string kColumns = R"sql(
k.id, k.name, k.role, k.confined, rfc3339(k.created_at) AS created_at,
rfc3339(k.last_used_at) AS last_used_at, rfc3339(k.expires_at) AS expires_at,
floor(date_part('epoch', k.expires_at) * 1000)::bigint AS expires_ms,
coalesce(k.expires_at <= now(), false) AS expired, rfc3339(k.rotated_at) AS rotated_at,
CASE WHEN k.old_secret_until > now() THEN rfc3339(k.old_secret_until) END AS old_secret_until,
(SELECT json_object_agg(g.target, g.rights) FROM token_grants g WHERE g.token = k.number) AS grants)sql";

const PgStatement kCreate{"token_create", R"sql(
INSERT INTO tokens (name, role, secret_sha256, confined, expires_at)
VALUES ($1, $2, $3, $4, now() + $5::bigint * interval '1 second') RETURNING id)sql",
                          Repeat::unsafe};

const PgStatement kGrant{"token_grant", R"sql(
INSERT INTO token_grants (token, target, rights)
SELECT k.number, $2, $3::text[]::target_right[] FROM tokens k WHERE k.id = $1::uuid
ON CONFLICT (token, target) DO UPDATE SET rights = excluded.rights)sql",
                         Repeat::unsafe};
const PgStatement kUngrant{"token_ungrant", R"sql(
DELETE FROM token_grants g USING tokens k
WHERE g.token = k.number AND k.id = $1::uuid AND g.target = $2)sql",
                           Repeat::unsafe};

// A SELECT that is followed, at most once a minute, by a write nobody waits for the result of.
// Whose secret hashes to $1, or to $2 for one that is limited.
const std::string kHasSecret = R"sql((secret_sha256 IN ($1, $2)
         OR (old_secret_sha256 IN ($1, $2) AND old_secret_until > now()))
    AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))sql";

const PgStatement kAuthenticate{"token_authenticate",
                                R"sql(
WITH found AS (
  SELECT number FROM tokens WHERE )sql" +
                                    kHasSecret + R"sql(
), touched AS (
  UPDATE tokens SET last_used_at = now()
  FROM found
  WHERE tokens.number = found.number
    AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
)
SELECT )sql" + kColumns + " FROM tokens k JOIN found USING (number)",
                                Repeat::safe};

// For a database that takes no writes: whoever may read still can.
const PgStatement kAuthenticateOnly{"token_authenticate_only",
                                    "SELECT " + kColumns + " FROM tokens k WHERE " + kHasSecret,
                                    Repeat::safe};

const PgStatement kList{
    "token_list",
    "SELECT " + kColumns + " FROM tokens k WHERE k.revoked_at IS NULL ORDER BY k.number",
    Repeat::safe};
const PgStatement kFind{
    "token_find",
    "SELECT " + kColumns + " FROM tokens k WHERE k.id = $1::uuid AND k.revoked_at IS NULL",
    Repeat::safe};
const PgStatement kFindName{
    "token_find_name",
    "SELECT " + kColumns + " FROM tokens k WHERE k.name = $1 AND k.revoked_at IS NULL",
    Repeat::safe};
const PgStatement kLock{"token_lock",
                        "SELECT number FROM tokens WHERE id = $1::uuid AND revoked_at IS NULL "
                        "FOR NO KEY UPDATE",
                        Repeat::unsafe};

const PgStatement kRotate{"token_rotate", R"sql(
UPDATE tokens
SET secret_sha256 = $2, rotated_at = now(),
    old_secret_sha256 = CASE WHEN $3::bigint > 0 THEN secret_sha256 END,
    old_secret_until = CASE WHEN $3::bigint > 0 THEN now() + $3::bigint * interval '1 second' END
WHERE id = $1::uuid)sql",
                          Repeat::unsafe};

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

// A token that is confined or expires is kept under another hash than others, which only those who
// look at its limits ask for: a honed of an earlier release, beside us on the same database, does
// not know it, rather than letting it do everything.
std::string plain_hash(const std::string& secret) {
  return sha256_hex(secret);
}
std::string limited_hash(const std::string& secret) {
  return sha256_hex("limited " + secret);
}

Error bad_token(std::string pointer, std::string detail) {
  return Error{ErrorCode::invalid_argument, "bad token", {{std::move(pointer), std::move(detail)}}};
}

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

Json summary_of(const TokenView& token) {
  return Json{{"name", token.name},
              {"role", to_string(token.role)},
              {"grants", grants_json(token.grants)},
              {"expires_at", token.expires_at.empty() ? Json() : Json(token.expires_at)}};
}

Async<TokenView> find_in(PgTransaction& transaction, const std::string& id) {
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

Async<void> add_grant(PgTransaction& transaction, const std::string& id, const std::string& target,
                      TargetRights rights) {
  rights.add(TargetRight::read);
  PgParams row;
  row.text(id).text(target).text_array(spellings(rights));
  HONE_CO_CHECK(co_await transaction.execute(kGrant, std::move(row)));
  co_return Result<void>();
}

Async<TokenView> create_in(PgTransaction& transaction, const std::string& name, Role role,
                           const TokenScope& scope, const std::string& secret) {
  const bool limited = scope.grants.has_value() || scope.expires_in_s.has_value();
  PgParams params;
  params.text(name).text(to_string(role)).text(limited ? limited_hash(secret) : plain_hash(secret));
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
  HONE_CO_TRY(TokenView made, co_await find_in(transaction, id));
  transaction.changes_object(id);
  transaction.changes_to(summary_of(made));
  co_return made;
}

Async<TokenView> grant_in(PgTransaction& transaction, const std::string& id,
                          const std::string& target, TargetRights rights) {
  HONE_CO_TRY(const TokenView before, co_await find_in(transaction, id));
  if (!before.grants) {
    co_return fail(ErrorCode::conflict, "the token '" + before.name +
                                            "' counts for all targets: make one that is confined");
  }
  if (!before.grants->contains(target) && before.grants->size() >= kMaxGrants) {
    co_return bad_token("/target", "is one too many: a token has at most " +
                                       std::to_string(kMaxGrants) + " grants");
  }
  HONE_CO_CHECK(co_await add_grant(transaction, id, target, rights));
  HONE_CO_TRY(TokenView after, co_await find_in(transaction, id));
  transaction.changes_target(target);
  transaction.changes_from(grants_json(before.grants));
  transaction.changes_to(grants_json(after.grants));
  co_return after;
}

Async<TokenView> ungrant_in(PgTransaction& transaction, const std::string& id,
                            const std::string& target) {
  HONE_CO_TRY(const TokenView before, co_await find_in(transaction, id));
  PgParams both;
  both.text(id).text(target);
  HONE_CO_TRY(const PgResult removed, co_await transaction.execute(kUngrant, std::move(both)));
  if (removed.affected() == 0) {
    co_return no_such("grant of the token '" + before.name + "' for target", target);
  }
  HONE_CO_TRY(TokenView after, co_await find_in(transaction, id));
  transaction.changes_target(target);
  transaction.changes_from(grants_json(before.grants));
  transaction.changes_to(grants_json(after.grants));
  co_return after;
}

Async<TokenView> rotate_in(PgTransaction& transaction, const std::string& id,
                           const std::string& secret, std::int64_t old_for_s) {
  HONE_CO_TRY(const TokenView before, co_await find_in(transaction, id));
  const bool limited = before.grants.has_value() || !before.expires_at.empty();
  PgParams row;
  row.text(id).text(limited ? limited_hash(secret) : plain_hash(secret)).integer(old_for_s);
  HONE_CO_CHECK(co_await transaction.execute(kRotate, std::move(row)));
  HONE_CO_TRY(TokenView after, co_await find_in(transaction, id));
  transaction.changes_to(
      Json{{"name", after.name},
           {"old_secret_until",
            after.old_secret_until.empty() ? Json() : Json(after.old_secret_until)}});
  co_return after;
}

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

std::string TokenStore::make_secret() {
  return "hone_" + random_hex(32);
}

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

Async<TokenView> TokenStore::authenticate(std::string secret) {
  PgParams params;
  params.text(plain_hash(secret)).text(limited_hash(secret));
  PgOutcome<PgResult> answer = co_await pool_.execute(kAuthenticate, params);
  if (!answer && answer.error().takes_no_writes()) {
    answer = co_await pool_.execute(kAuthenticateOnly, std::move(params));
  }
  HONE_CO_TRY(const PgResult found, std::move(answer));
  if (found.empty()) {
    co_return fail(ErrorCode::unauthenticated, "the token is not known or was revoked");
  }
  co_return read_token(found.first());
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

Async<TokenView> TokenStore::find(std::string id_or_name) {
  PgParams params;
  params.text(id_or_name);
  const PgStatement& statement = is_uuid(id_or_name) ? kFind : kFindName;
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(statement, std::move(params)));
  if (found.empty()) {
    co_return no_such("token", id_or_name);
  }
  co_return read_token(found.first());
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
