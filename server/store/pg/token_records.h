// Tokens as several files of TokenStore read them.
#pragma once

#include <string>

#include "common/base/result.h"
#include "server/store/pg/pg_result.h"
#include "server/store/pg/pg_statement.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/token_store.h"

namespace hone {

// Columns of a TokenView: SELECT ... FROM tokens k.
inline constexpr const char* kTokenColumns = R"sql(
k.id, k.name, k.role, k.confined, rfc3339(k.created_at) AS created_at,
rfc3339(k.last_used_at) AS last_used_at, rfc3339(k.expires_at) AS expires_at,
floor(date_part('epoch', k.expires_at) * 1000)::bigint AS expires_ms,
coalesce(k.expires_at <= now(), false) AS expired, rfc3339(k.rotated_at) AS rotated_at,
CASE WHEN k.old_secret_until > now() THEN rfc3339(k.old_secret_until) END AS old_secret_until,
left(k.secret_sha256, 16) AS generation,
CASE WHEN k.old_secret_until > now() THEN left(k.old_secret_sha256, 16) END AS old_generation,
CASE WHEN k.old_secret_until > now()
     THEN floor(date_part('epoch', k.old_secret_until) * 1000)::bigint END AS old_until_ms,
(SELECT json_object_agg(g.target, g.rights) FROM token_grants g WHERE g.token = k.number) AS grants)sql";
TokenView read_token(const PgRow& row);

// A token in use, by its id.
const PgStatement& find_token_statement();
// A token in use, locked for the rest of the transaction. not_found.
Async<TokenView> lock_token(PgTransaction& transaction, std::string id);

// invalid_argument: what is wrong with a field of the request, by its JSON Pointer.
Error bad_token(std::string pointer, std::string detail);

}  // namespace hone
