// Results that are taken over by others, against samples that are removed: whoever takes one over
// does so while its samples are there, and whoever removes samples sees all who took them over.
#pragma once

#include "server/store/pg/pg_transaction.h"

namespace hone {

enum class ReuseLock {
  take_over,       // with others that do so
  remove_samples,  // alone
};

// Held until the transaction ends. A statement of its own: those behind it see what was done under
// the lock before.
Async<void> lock_reuse(PgTransaction& transaction, ReuseLock what);

}  // namespace hone
