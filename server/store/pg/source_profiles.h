// Profiles of baselines that came with results.
#pragma once

#include "common/protocol/source_profile.h"
#include "server/store/async.h"
#include "server/store/pg/attempt_lock.h"
#include "server/store/pg/pg_transaction.h"

namespace hone {

// Of the attempt's worker and version of the target. One that told where the time goes stays; one
// that could not tell is replaced.
Async<void> add_source_profile(PgTransaction& transaction, const LockedAttempt& attempt,
                               const SourceProfile& profile);

}  // namespace hone
