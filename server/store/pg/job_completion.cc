// JobStore: results are counted, in one transaction, each once.

#include <unordered_set>

#include <nlohmann/json.hpp>

#include "server/store/job_store.h"
#include "server/store/pg/attempt_lock.h"
#include "server/store/pg/completion_rows.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"
#include "server/store/pg/reuse_lock.h"

namespace hone {
namespace {

// By the ids that are named as reused, and the target that each must be of. Their samples stand for
// the results that take them over, so that these must not be gone (retention_store.cc).
const PgStatement kFindReused{"complete_find_reused", R"sql(
SELECT wanted.place, r.attempt
FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS wanted (id, target, place)
JOIN attempts a ON a.id = wanted.id
JOIN results r ON r.attempt = a.number
JOIN jobs j ON j.number = r.job AND j.target = wanted.target
WHERE EXISTS (SELECT FROM measurements m WHERE m.attempt = r.attempt))sql",
                              Repeat::safe};

const PgStatement kEndAttempts{"complete_end_attempts", R"sql(
UPDATE attempts a
SET state = e.state::attempt_state, completion_sha256 = e.sha256, reason = e.reason, ended_at = now()
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS e (number, state, sha256, reason)
WHERE a.number = e.number)sql",
                               Repeat::unsafe};

// After the results: the trigger that writes the events reads them.
const PgStatement kEndJobs{"complete_end_jobs", R"sql(
UPDATE jobs j SET state = e.state::job_state, reason = e.reason, finished_at = now()
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS e (number, state, reason)
WHERE j.number = e.number)sql",
                           Repeat::unsafe};

using Answers = std::vector<Result<void>>;

// What is to be done about a completion: nothing (it was counted before), or an end; or why not.
enum class Task { none, end };
Result<Task> task_of(const Result<LockedAttempt>& locked, const Completion& completion) {
  HONE_TRY(const LockedAttempt attempt, locked);
  if (attempt.state != AttemptState::leased) {
    if (attempt.completion_sha256.empty()) {
      return lease_ended(attempt);
    }
    if (attempt.completion_sha256 != completion.body_sha256) {
      return fail(ErrorCode::conflict,
                  "attempt '" + completion.attempt + "' was completed with another result");
    }
    return Task::none;
  }
  if (completion.result.outcome == Outcome::cancelled && !attempt.cancel_requested) {
    return fail(ErrorCode::conflict,
                "nobody cancelled job '" + attempt.job_id + "': hand the lease back instead");
  }
  return Task::end;
}

// One that ends now.
struct Ending {
  std::size_t place = 0;  // in the batch
  const Completion* completion = nullptr;
  LockedAttempt attempt;
  std::optional<std::int64_t> reused;
};

Error not_reusable(const std::string& id) {
  Error error = fail(ErrorCode::invalid_argument, "bad result");
  error.fields.push_back(
      {"/reused_attempt",
       "'" + id + "' is no completed attempt at this target whose samples are still there"});
  return error;
}

// Finds the reused attempts; those that name a wrong one leave the list with their error.
Async<void> find_reused(PgTransaction& transaction, std::vector<Ending>& endings,
                        Answers& answers) {
  std::vector<std::string> ids;
  std::vector<std::int64_t> targets;
  std::vector<Ending*> wanting;
  for (Ending& ending : endings) {
    if (is_uuid(ending.completion->result.reused_attempt)) {
      ids.push_back(ending.completion->result.reused_attempt);
      targets.push_back(ending.attempt.target);
      wanting.push_back(&ending);
    }
  }
  if (!ids.empty()) {
    HONE_CO_CHECK(co_await lock_reuse(transaction, ReuseLock::take_over));
    PgParams wanted;
    wanted.text_array(ids).integer_array(targets);
    HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFindReused, std::move(wanted)));
    for (int i = 0; i < found.size(); ++i) {
      const PgRow row = found.row(i);
      wanting[static_cast<std::size_t>(row.integer("place") - 1)]->reused = row.integer("attempt");
    }
  }
  std::erase_if(endings, [&answers](const Ending& ending) {
    const std::string& id = ending.completion->result.reused_attempt;
    if (id.empty() || ending.reused) {
      return false;
    }
    answers[ending.place] = not_reusable(id);
    return true;
  });
  co_return Result<void>();
}

bool is_cancellation(const Ending& ending) {
  return ending.completion->result.outcome == Outcome::cancelled;
}

Async<void> end_attempts(PgTransaction& transaction, const std::vector<Ending>& endings) {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> states;
  std::vector<std::string> hashes;
  std::vector<std::string> reasons;
  for (const Ending& ending : endings) {
    numbers.push_back(ending.attempt.number);
    states.emplace_back(
        to_string(is_cancellation(ending) ? AttemptState::cancelled : AttemptState::completed));
    hashes.push_back(ending.completion->body_sha256);
    reasons.push_back(ending.completion->result.reason);
  }
  PgParams ended;
  ended.integer_array(numbers).text_array(states).text_array(hashes).text_array(reasons);
  HONE_CO_CHECK(co_await transaction.execute(kEndAttempts, std::move(ended)));
  co_return Result<void>();
}

Async<void> end_jobs(PgTransaction& transaction, const std::vector<Ending>& endings) {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> states;
  std::vector<std::string> reasons;
  for (const Ending& ending : endings) {
    const bool late = !ending.attempt.late.empty();
    numbers.push_back(ending.attempt.job);
    if (!is_cancellation(ending)) {
      states.emplace_back(to_string(JobState::done));
      reasons.emplace_back();
    } else {
      states.emplace_back(to_string(late ? JobState::dead : JobState::cancelled));
      reasons.push_back(late ? ending.attempt.late : "cancelled on request");
    }
  }
  PgParams jobs;
  jobs.integer_array(numbers).text_array(states).text_array(reasons);
  HONE_CO_CHECK(co_await transaction.execute(kEndJobs, std::move(jobs)));
  co_return Result<void>();
}

Async<Answers> complete_in(PgTransaction& transaction,
                           const std::vector<const Completion*>& batch) {
  std::vector<AttemptKey> keys;
  for (const Completion* completion : batch) {
    keys.push_back({completion->attempt, completion->token});
  }
  Result<std::vector<Result<LockedAttempt>>> locked =
      co_await lock_attempts(transaction, std::move(keys));
  HONE_CO_TRY(const std::vector<Result<LockedAttempt>> attempts, std::move(locked));
  Answers answers(batch.size());
  std::vector<Ending> endings;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Result<Task> task = task_of(attempts[i], *batch[i]);
    if (!task) {
      answers[i] = task.error();
    } else if (*task == Task::end) {
      endings.push_back({i, batch[i], *attempts[i], std::nullopt});
    }
  }
  HONE_CO_CHECK(co_await find_reused(transaction, endings, answers));
  if (endings.empty()) {
    co_return answers;
  }
  HONE_CO_CHECK(co_await end_attempts(transaction, endings));
  std::vector<CountedResult> counted;
  for (const Ending& ending : endings) {
    if (!is_cancellation(ending)) {
      counted.push_back({&ending.attempt, &ending.completion->result, ending.reused});
    }
  }
  HONE_CO_CHECK(co_await add_results(transaction, counted));
  HONE_CO_CHECK(co_await end_jobs(transaction, endings));
  co_return answers;
}

// In one transaction; attempts are all different.
Async<Answers> complete_together(PgPool& pool, std::vector<const Completion*> batch) {
  const auto body = [&batch](PgTransaction& transaction) {
    return complete_in(transaction, batch);
  };
  Result<Answers> answers = co_await in_transaction<Answers>(pool, body);
  co_return answers;
}

// Whether one bad result could be to blame, and the others be counted without it.
bool may_be_of_one(const Error& error) {
  return error.code == ErrorCode::internal || error.code == ErrorCode::conflict ||
         error.code == ErrorCode::invalid_argument;
}

}  // namespace

Async<std::vector<Result<void>>> JobStore::complete_many(std::vector<Completion> completions) {
  Answers answers(completions.size());
  std::vector<std::size_t> left(completions.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = i;
  }
  // An attempt that stands there twice (a reply was lost) has its second turn when the first is
  // over.
  while (!left.empty()) {
    std::vector<const Completion*> batch;
    std::vector<std::size_t> places;
    std::vector<std::size_t> later;
    std::unordered_set<std::string> attempts;
    for (const std::size_t place : left) {
      const bool first = attempts.insert(completions[place].attempt).second;
      (first ? places : later).push_back(place);
      if (first) {
        batch.push_back(&completions[place]);
      }
    }
    left = std::move(later);
    Result<Answers> together = co_await complete_together(pool_, batch);
    const bool one_by_one = !together && batch.size() > 1 && may_be_of_one(together.error());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (one_by_one) {
        const std::vector<const Completion*> one{batch[i]};
        Result<Answers> alone = co_await complete_together(pool_, one);
        answers[places[i]] = alone ? alone->front() : Result<void>(alone.error());
      } else {
        answers[places[i]] = together ? (*together)[i] : Result<void>(together.error());
      }
    }
  }
  co_return answers;
}

Async<void> JobStore::complete(std::string attempt, std::string token, AttemptResult result,
                               std::string body_sha256) {
  std::vector<Completion> one;
  one.push_back({std::move(attempt), std::move(token), std::move(result), std::move(body_sha256)});
  Result<std::vector<Result<void>>> answers = co_await complete_many(std::move(one));
  HONE_CO_CHECK(answers);
  co_return answers->front();
}

}  // namespace hone
