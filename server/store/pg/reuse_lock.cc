#include "server/store/pg/reuse_lock.h"

namespace hone {
namespace {

// The key is "reus" in ASCII.
const PgStatement kTakeOver{"reuse_lock_take_over",
                            "SELECT pg_advisory_xact_lock_shared(1919251827)", Repeat::unsafe};
const PgStatement kRemoveSamples{"reuse_lock_remove_samples",
                                 "SELECT pg_advisory_xact_lock(1919251827)", Repeat::unsafe};

}  // namespace

Async<void> lock_reuse(PgTransaction& transaction, ReuseLock what) {
  const PgStatement& statement = what == ReuseLock::take_over ? kTakeOver : kRemoveSamples;
  HONE_CO_CHECK(co_await transaction.execute(statement, PgParams()));
  co_return Result<void>();
}

}  // namespace hone
