#include "server/store/pg/idempotent.h"

#include <nlohmann/json.hpp>

#include "server/store/pg/records.h"

namespace hone {
namespace {

const PgStatement kClaim{"key_claim", R"sql(
INSERT INTO idempotency_keys (token, operation, key, body_sha256)
SELECT number, $2, $3, $4 FROM tokens WHERE id = $1::uuid
ON CONFLICT (token, operation, key) DO NOTHING)sql",
                         Repeat::unsafe};

const PgStatement kFind{"key_find", R"sql(
SELECT i.body_sha256, i.answer FROM idempotency_keys i JOIN tokens t ON t.number = i.token
WHERE t.id = $1::uuid AND i.operation = $2 AND i.key = $3)sql",
                        Repeat::safe};

const PgStatement kKeep{"key_keep", R"sql(
UPDATE idempotency_keys i SET answer = $4::jsonb
FROM tokens t
WHERE t.number = i.token AND t.id = $1::uuid AND i.operation = $2 AND i.key = $3)sql",
                        Repeat::unsafe};

PgParams wanted_key(const IdempotencyKey& key, const std::string& token,
                    std::string_view operation) {
  PgParams wanted;
  wanted.text(token).text(operation).text(key.key);
  return wanted;
}

// Of a key that was found.
Result<EarlierAnswer> read_answer(const PgRow& row, const IdempotencyKey& key) {
  if (row.view("body_sha256") != key.body_sha256) {
    return fail(ErrorCode::conflict,
                "the idempotency key '" + key.key + "' was used with another body");
  }
  return EarlierAnswer{row.json("answer")};
}

}  // namespace

Async<EarlierAnswer> claim_key(PgTransaction& transaction, IdempotencyKey key, std::string token,
                               std::string_view operation) {
  if (key.key.empty() || key.key.size() > 255) {
    co_return fail(ErrorCode::invalid_argument, "an idempotency key has 1 to 255 bytes");
  }
  if (!is_uuid(token)) {
    co_return fail(ErrorCode::unauthenticated, "the token is not known");
  }
  PgParams claimed;
  claimed.text(token).text(operation).text(key.key).text(key.body_sha256);
  HONE_CO_TRY(const PgResult claim, co_await transaction.execute(kClaim, std::move(claimed)));
  if (claim.affected() == 1) {
    co_return EarlierAnswer();
  }
  PgParams wanted = wanted_key(key, token, operation);
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, std::move(wanted)));
  if (found.empty()) {
    co_return fail(ErrorCode::unauthenticated, "the token is not known");
  }
  co_return read_answer(found.first(), key);
}

Async<EarlierAnswer> find_answer(PgPool& pool, IdempotencyKey key, std::string token,
                                 std::string_view operation) {
  if (!is_uuid(token)) {
    co_return EarlierAnswer();
  }
  PgParams wanted = wanted_key(key, token, operation);
  HONE_CO_TRY(const PgResult found, co_await pool.execute(kFind, std::move(wanted)));
  if (found.empty()) {
    co_return EarlierAnswer();
  }
  co_return read_answer(found.first(), key);
}

Async<void> keep_answer(PgTransaction& transaction, IdempotencyKey key, std::string token,
                        std::string_view operation, Json answer) {
  PgParams params;
  params.text(token).text(operation).text(key.key).json(answer);
  HONE_CO_CHECK(co_await transaction.execute(kKeep, std::move(params)));
  co_return Result<void>();
}

}  // namespace hone
