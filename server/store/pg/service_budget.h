// A service's error budget as it was last told, inside a transaction.
#pragma once

#include <cstdint>
#include <string>

#include "server/store/pg/pg_transaction.h"

namespace hone {

// As Prometheus told a canary (its number) just now: of the service as that was described when the
// canary began. Of another description it says nothing, and is not noted.
Async<void> note_budget_in(PgTransaction& transaction, std::string target, Json budget,
                           std::int64_t canary);

// Whether the target's service has no budget left, as far as that is known: what was told longer
// ago than the objective's window says nothing. False for a target without a service.
Async<bool> budget_is_spent(PgTransaction& transaction, std::string target);

}  // namespace hone
