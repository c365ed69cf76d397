// An attempt whose job is locked until the transaction ends: who may decide about a lease.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/protocol/values.h"
#include "server/store/pg/pg_transaction.h"

namespace hone {

struct LockedAttempt {
  std::int64_t number = 0;
  std::string id;
  std::string worker;
  AttemptState state = AttemptState::leased;
  std::string reason;
  std::string completion_sha256;  // empty if none came
  std::int64_t job = 0;
  std::string job_id;
  JobState job_state = JobState::leased;
  Stage stage = Stage::race;
  BaselineKind baseline = BaselineKind::o3;
  std::int64_t target = 0;
  bool cancel_requested = false;
  std::string late;  // why the job is dead instead of cancelled: its deadline passed; else empty
};

// Text over jobs j: the reason of a job that is dead since its deadline passed.
std::string deadline_reason_sql();

// Locks the attempt's job, then reads the attempt as it is from then on. not_found;
// permission_denied if another token holds it.
Async<LockedAttempt> lock_attempt(PgTransaction& transaction, std::string id, std::string token);

struct AttemptKey {
  std::string id;
  std::string token;
};
// The same for several, in the order given, each with its own error. Jobs are locked in the order
// of their numbers.
Async<std::vector<Result<LockedAttempt>>> lock_attempts(PgTransaction& transaction,
                                                        std::vector<AttemptKey> keys);

// The same reading without the lock. not_found; permission_denied.
Async<LockedAttempt> read_attempt_of(PgPool& pool, std::string id, std::string token);

// expired: "the lease of attempt '...' ended (expired): ..."
Error lease_ended(const LockedAttempt& attempt);

}  // namespace hone
