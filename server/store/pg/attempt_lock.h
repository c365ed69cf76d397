// An attempt whose job is locked until the transaction ends: who may decide about a lease.
#pragma once

#include <cstdint>
#include <string>

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
};

// Locks the attempt's job, then reads the attempt as it is from then on. not_found;
// permission_denied if another token holds it.
Async<LockedAttempt> lock_attempt(PgTransaction& transaction, std::string id, std::string token);

// The same reading without the lock: the statement (parameter: the attempt's id) and what it says.
const PgStatement& find_attempt();
Result<LockedAttempt> check_attempt(const PgResult& found, std::string_view id,
                                    std::string_view token);

// expired: "the lease of attempt '...' ended (expired): ..."
Error lease_ended(const LockedAttempt& attempt);

}  // namespace hone
