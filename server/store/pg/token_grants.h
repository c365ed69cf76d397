// What a confined token may do to which targets, inside the transaction that changes it.
#pragma once

#include <optional>
#include <string>

#include "common/json/document.h"
#include "common/protocol/access.h"
#include "server/store/pg/pg_transaction.h"

namespace hone {

// In place of what the token has there; with the right to read, whether it is among them or not.
// The token must be there and confined.
Async<void> add_grant(PgTransaction& transaction, std::string token, std::string target,
                      TargetRights rights);

// For the audit log: the rights as spelled, by target; null for a token that is not confined.
Json grants_json(const std::optional<TargetGrants>& grants);

}  // namespace hone
