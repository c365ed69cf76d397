// The record of a request that counts once, inside the transaction that does its work; and what an
// earlier one left.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/json/document.h"
#include "server/store/idempotency.h"
#include "server/store/pg/pg_transaction.h"

namespace hone {

// What answering a key found: the earlier answer, or nothing when the work is to be done now.
struct EarlierAnswer {
  std::optional<Json> answer;
};

// Claims the key for this transaction; waits while another transaction has it. conflict if it was
// used with another body; invalid_argument for an empty or overlong key; unauthenticated for a
// token that is not known.
Async<EarlierAnswer> claim_key(PgTransaction& transaction, IdempotencyKey key, std::string token,
                               std::string_view operation);
// What an earlier request left that has committed, outside a transaction: nothing if there was
// none, or one is under way. conflict as above.
Async<EarlierAnswer> find_answer(PgPool& pool, IdempotencyKey key, std::string token,
                                 std::string_view operation);
// Keeps the answer for the next time.
Async<void> keep_answer(PgTransaction& transaction, IdempotencyKey key, std::string token,
                        std::string_view operation, Json answer);

}  // namespace hone
