// Self-checks of workers, within the transaction that counts a result.
#pragma once

#include "common/protocol/self_check.h"
#include "server/store/pg/attempt_lock.h"
#include "server/store/pg/pg_transaction.h"

namespace hone {

// Stores the check that came with an attempt's result and what follows from it (worker_fitness.h).
// The result must be stored already.
Async<void> add_self_check(PgTransaction& transaction, const LockedAttempt& attempt,
                           const SelfCheck& check);

}  // namespace hone
