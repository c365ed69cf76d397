// The rows that results are kept in, written for several results with one statement a table.
//
// Not thread safe. For files of server/store/pg.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/protocol/attempt_result.h"
#include "server/store/pg/attempt_lock.h"
#include "server/store/pg/pg_transaction.h"

namespace hone {

// A result that counts. What it points to must outlive the writing.
struct CountedResult {
  const LockedAttempt* attempt = nullptr;
  const AttemptResult* result = nullptr;
  std::optional<std::int64_t> reused;  // number of the attempt that measured an equal binary
};

// Results, samples with their summaries, states, decisions, binaries, self-checks, profiles, and
// the experiences that are made of them.
Async<void> add_results(PgTransaction& transaction, const std::vector<CountedResult>& results);

}  // namespace hone
