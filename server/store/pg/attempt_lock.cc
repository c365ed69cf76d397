#include "server/store/pg/attempt_lock.h"

#include <unordered_map>

#include "server/store/pg/records.h"

namespace hone {
namespace {

// A statement of its own: under READ COMMITTED the next one has a snapshot taken after the lock was
// had, and so sees what the lock's last holder did to the attempt.
const PgStatement kLock{"attempt_lock_job", R"sql(
SELECT number FROM jobs
WHERE number IN (SELECT job FROM attempts WHERE id = ANY ($1::uuid[]))
ORDER BY number FOR NO KEY UPDATE)sql",
                        Repeat::unsafe};

const PgStatement kFind{"attempt_find",
                        R"sql(
SELECT a.id, a.number, w.name AS worker, a.state, a.reason, a.completion_sha256, t.id AS token,
       j.number AS job, j.id AS job_id, j.state AS job_state, j.stage, j.baseline, j.target,
       j.cancel_requested_at IS NOT NULL AS cancel_requested,
       CASE WHEN j.deadline <= j.cancel_requested_at THEN )sql" +
                            deadline_reason_sql() +
                            R"sql( END AS late
FROM attempts a
JOIN jobs j ON j.number = a.job
JOIN workers w ON w.number = a.worker
JOIN tokens t ON t.number = a.token
WHERE a.id = ANY ($1::uuid[]))sql",
                        Repeat::safe};

LockedAttempt read_locked(const PgRow& row) {
  LockedAttempt attempt;
  attempt.number = row.integer("number");
  attempt.id = row.text("id");
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
  attempt.late = row.text_or_empty("late");
  return attempt;
}

// UUIDs as PostgreSQL writes them: whoever asks may have written capitals.
std::string canonical(std::string id) {
  for (char& c : id) {
    c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return id;
}

// Each key's attempt among the rows found.
std::vector<Result<LockedAttempt>> pick(const PgResult& found,
                                        const std::vector<AttemptKey>& keys) {
  std::unordered_map<std::string, int> rows;
  for (int i = 0; i < found.size(); ++i) {
    rows.emplace(found.row(i).text("id"), i);
  }
  std::vector<Result<LockedAttempt>> attempts;
  for (const AttemptKey& key : keys) {
    const auto row = rows.find(canonical(key.id));
    if (row == rows.end()) {
      attempts.emplace_back(no_such("attempt", key.id));
    } else if (found.row(row->second).view("token") != key.token) {
      attempts.emplace_back(fail(ErrorCode::permission_denied,
                                 "attempt '" + key.id + "' was leased to another token"));
    } else {
      attempts.emplace_back(read_locked(found.row(row->second)));
    }
  }
  return attempts;
}

PgParams ids_of(const std::vector<AttemptKey>& keys) {
  std::vector<std::string> ids;
  for (const AttemptKey& key : keys) {
    if (is_uuid(key.id)) {
      ids.push_back(key.id);
    }
  }
  PgParams params;
  params.text_array(ids);
  return params;
}

}  // namespace

std::string deadline_reason_sql() {
  return "'deadline: it was not done by ' || rfc3339(j.deadline)";
}

Async<std::vector<Result<LockedAttempt>>> lock_attempts(PgTransaction& transaction,
                                                        std::vector<AttemptKey> keys) {
  PgParams ids = ids_of(keys);
  HONE_CO_CHECK(co_await transaction.execute(kLock, ids));
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, std::move(ids)));
  co_return pick(found, keys);
}

Async<LockedAttempt> lock_attempt(PgTransaction& transaction, std::string id, std::string token) {
  std::vector<AttemptKey> one{{std::move(id), std::move(token)}};
  Result<std::vector<Result<LockedAttempt>>> locked =
      co_await lock_attempts(transaction, std::move(one));
  HONE_CO_TRY(std::vector<Result<LockedAttempt>> attempts, std::move(locked));
  co_return std::move(attempts.front());
}

Async<LockedAttempt> read_attempt_of(PgPool& pool, std::string id, std::string token) {
  const std::vector<AttemptKey> one{{std::move(id), std::move(token)}};
  PgParams ids = ids_of(one);
  HONE_CO_TRY(const PgResult found, co_await pool.execute(kFind, std::move(ids)));
  std::vector<Result<LockedAttempt>> attempts = pick(found, one);
  co_return std::move(attempts.front());
}

Error lease_ended(const LockedAttempt& attempt) {
  return fail(ErrorCode::expired, "the lease of attempt '" + attempt.id + "' ended (" +
                                      std::string(to_string(attempt.state)) + ")" +
                                      (attempt.reason.empty() ? "" : ": " + attempt.reason));
}

}  // namespace hone
