#include "server/store/token_store.h"

#include "common/base/sha256.h"
#include "common/base/token.h"
#include "common/protocol/target_spec.h"
#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

const std::string kColumns =
    "id, name, role, rfc3339(created_at) AS created_at, rfc3339(last_used_at) AS last_used_at";

const PgStatement kCreate{"token_create",
                          "INSERT INTO tokens (name, role, secret_sha256) "
                          "VALUES ($1, $2, $3) RETURNING " +
                              kColumns,
                          Repeat::unsafe};

// A SELECT that is followed, at most once a minute, by a write nobody waits for the result of.
const PgStatement kAuthenticate{"token_authenticate", R"sql(
WITH found AS (
  SELECT number FROM tokens WHERE secret_sha256 = $1 AND revoked_at IS NULL
), touched AS (
  UPDATE tokens SET last_used_at = now()
  FROM found
  WHERE tokens.number = found.number
    AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
)
SELECT )sql" + kColumns + " FROM tokens JOIN found USING (number)",
                                Repeat::safe};

// For a database that takes no writes: whoever may read still can.
const PgStatement kAuthenticateOnly{
    "token_authenticate_only",
    "SELECT " + kColumns + " FROM tokens WHERE secret_sha256 = $1 AND revoked_at IS NULL",
    Repeat::safe};

const PgStatement kList{
    "token_list", "SELECT " + kColumns + " FROM tokens WHERE revoked_at IS NULL ORDER BY number",
    Repeat::safe};

const PgStatement kRevoke{"token_revoke",
                          "UPDATE tokens SET revoked_at = now() "
                          "WHERE id = $1::uuid AND revoked_at IS NULL",
                          Repeat::unsafe};

const PgStatement kHasAdmin{"token_has_admin",
                            "SELECT EXISTS (SELECT FROM tokens "
                            "WHERE role = 'admin' AND revoked_at IS NULL) AS found",
                            Repeat::safe};

TokenView read_token(const PgRow& row) {
  TokenView view;
  view.id = row.text("id");
  view.name = row.text("name");
  view.role = row.one_of("role", parse_role);
  view.created_at = row.text("created_at");
  view.last_used_at = row.text_or_empty("last_used_at");
  return view;
}

}  // namespace

Async<NewToken> TokenStore::create(std::string name, Role role) {
  if (!is_valid_name(name)) {
    Error error = fail(ErrorCode::invalid_argument, "bad token");
    error.fields.push_back(
        {"/name", "must be a name: a-z or 0-9, then at most 62 of a-z 0-9 . _ -"});
    co_return error;
  }
  NewToken made;
  made.secret = "hone_" + random_hex(32);
  PgParams params;
  params.text(name).text(to_string(role)).text(sha256_hex(made.secret));
  PgOutcome<PgResult> created = co_await pool_.execute(kCreate, std::move(params));
  if (!created && created.error().constraint == "tokens_name_in_use") {
    co_return fail(ErrorCode::conflict, "a token named '" + name + "' is in use already");
  }
  HONE_CO_TRY(const PgResult row, std::move(created));
  made.view = read_token(row.first());
  co_return made;
}

Async<TokenView> TokenStore::authenticate(std::string secret) {
  PgParams params;
  params.text(sha256_hex(secret));
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

Async<void> TokenStore::revoke(std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("token", id);
  }
  PgParams params;
  params.text(id);
  HONE_CO_TRY(const PgResult revoked, co_await pool_.execute(kRevoke, std::move(params)));
  if (revoked.affected() == 0) {
    co_return no_such("token", id);
  }
  co_return Result<void>();
}

Async<bool> TokenStore::has_admin() {
  HONE_CO_TRY(const PgResult answer, co_await pool_.execute(kHasAdmin, PgParams()));
  co_return answer.first().truth("found");
}

}  // namespace hone
