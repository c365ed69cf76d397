#include "server/store/pg/attempt_lock.h"

#include "server/store/pg/records.h"

namespace hone {
namespace {

// A statement of its own: under READ COMMITTED the next one has a snapshot taken after the lock was
// had, and so sees what the lock's last holder did to the attempt.
const PgStatement kLock{"attempt_lock_job", R"sql(
SELECT number FROM jobs
WHERE number = (SELECT job FROM attempts WHERE id = $1::uuid) FOR NO KEY UPDATE)sql",
                        Repeat::unsafe};

const PgStatement kFind{"attempt_find", R"sql(
SELECT a.number, w.name AS worker, a.state, a.reason, a.completion_sha256, t.id AS token,
       j.number AS job, j.id AS job_id, j.state AS job_state, j.stage, j.baseline, j.target,
       j.cancel_requested_at IS NOT NULL AS cancel_requested
FROM attempts a
JOIN jobs j ON j.number = a.job
JOIN workers w ON w.number = a.worker
JOIN tokens t ON t.number = a.token
WHERE a.id = $1::uuid)sql",
                        Repeat::safe};

}  // namespace

const PgStatement& find_attempt() {
  return kFind;
}

Result<LockedAttempt> check_attempt(const PgResult& found, std::string_view id,
                                    std::string_view token) {
  if (found.empty()) {
    return no_such("attempt", id);
  }
  const PgRow row = found.first();
  if (row.view("token") != token) {
    return fail(ErrorCode::permission_denied,
                "attempt '" + std::string(id) + "' was leased to another token");
  }
  LockedAttempt attempt;
  attempt.number = row.integer("number");
  attempt.id = std::string(id);
  attempt.worker = row.text("worker");
  attempt.state = row.one_of("state", parse_attempt_state);
  attempt.reason = row.text("reason");
  attempt.completion_sha256 = row.text_or_empty("completion_sha256");
  attempt.job = row.integer("job");
  attempt.job_id = row.text("job_id");
  attempt.job_state = row.one_of("job_state", parse_job_state);
  attempt.stage = row.one_of("stage", parse_stage);
  attempt.baseline = row.one_of("baseline", parse_baseline_kind);
  attempt.target = row.integer("target");
  attempt.cancel_requested = row.truth("cancel_requested");
  return attempt;
}

Async<LockedAttempt> lock_attempt(PgTransaction& transaction, std::string id, std::string token) {
  if (!is_uuid(id)) {
    co_return no_such("attempt", id);
  }
  PgParams params;
  params.text(id);
  HONE_CO_CHECK(co_await transaction.execute(kLock, params));
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, std::move(params)));
  co_return check_attempt(found, id, token);
}

Error lease_ended(const LockedAttempt& attempt) {
  return fail(ErrorCode::expired, "the lease of attempt '" + attempt.id + "' ended (" +
                                      std::string(to_string(attempt.state)) + ")" +
                                      (attempt.reason.empty() ? "" : ": " + attempt.reason));
}

}  // namespace hone
