// JobStore: jobs put into the queue, a batch in one transaction.

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/protocol/rules.h"
#include "server/store/job_store.h"
#include "server/store/pg/idempotent.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

constexpr std::string_view kOperation = "submit_jobs";

// The numbers of the names that exist, by their place in the list.
const PgStatement kFindTargets{"jobs_find_targets", R"sql(
SELECT wanted.place, t.number, t.version
FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, place)
JOIN targets t ON t.name = wanted.name
ORDER BY wanted.place)sql",
                               Repeat::safe};

// Identity numbers follow the order of the batch, and with them the queue.
const PgStatement kInsert{"jobs_insert", R"sql(
INSERT INTO jobs (target, target_version, stage, baseline, priority, max_attempts, rules, note,
                  deadline, created_by, traceparent)
SELECT b.target, b.version, b.stage::stage, b.baseline::baseline_kind, b.priority,
       b.max_attempts, b.rules::jsonb, b.note, now() + b.deadline * interval '1 second',
       (SELECT number FROM tokens WHERE id = $10::uuid), $11
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
            $7::text[], $8::text[], $9::double precision[])
     WITH ORDINALITY AS b (target, version, stage, baseline, priority, max_attempts, rules, note,
                           deadline, place)
ORDER BY b.place
RETURNING id, number)sql",
                          Repeat::unsafe};

SubmittedJobs replayed(const Json& answer) {
  SubmittedJobs submitted;
  submitted.replayed = true;
  for (const Json& id : answer) {
    submitted.ids.push_back(id.get<std::string>());
  }
  return submitted;
}

Async<SubmittedJobs> submit_in(PgTransaction& transaction, const std::vector<JobRequest>& batch,
                               const IdempotencyKey& key, const std::string& created_by,
                               const std::string& traceparent) {
  HONE_CO_TRY(const EarlierAnswer earlier,
              co_await claim_key(transaction, key, created_by, kOperation));
  if (earlier.answer) {
    transaction.changed_nothing();
    co_return replayed(*earlier.answer);
  }
  SubmittedJobs submitted;
  std::vector<std::string> names;
  std::vector<std::string> stages;
  std::vector<std::string> baselines;
  std::vector<std::int64_t> priorities;
  std::vector<std::int64_t> max_attempts;
  std::vector<std::string> rules;
  std::vector<std::string> notes;
  std::vector<std::optional<double>> deadlines;
  for (const JobRequest& job : batch) {
    names.push_back(job.target);
    stages.emplace_back(to_string(job.stage));
    baselines.emplace_back(to_string(job.baseline));
    priorities.push_back(job.priority);
    max_attempts.push_back(job.max_attempts);
    rules.push_back(storable_json_text(rules_to_json(job.rules)));
    notes.push_back(job.note);
    deadlines.push_back(job.deadline_seconds
                            ? std::optional<double>(static_cast<double>(*job.deadline_seconds))
                            : std::nullopt);
  }
  PgParams wanted;
  wanted.text_array(names);
  HONE_CO_TRY(const PgResult targets,
              co_await transaction.execute(kFindTargets, std::move(wanted)));
  std::vector<std::int64_t> numbers(batch.size(), 0);
  std::vector<std::int64_t> versions(batch.size(), 0);
  for (int i = 0; i < targets.size(); ++i) {
    const PgRow row = targets.row(i);
    const auto place = static_cast<std::size_t>(row.integer("place") - 1);
    numbers[place] = row.integer("number");
    versions[place] = row.integer("version");
  }
  Error unknown = fail(ErrorCode::invalid_argument, "bad jobs");
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (numbers[i] == 0) {
      unknown.fields.push_back({"/jobs/" + std::to_string(i) + "/target",
                                "no target '" + batch[i].target + "' is registered"});
    }
  }
  if (!unknown.fields.empty()) {
    co_return unknown;
  }
  PgParams rows;
  rows.integer_array(numbers)
      .integer_array(versions)
      .text_array(stages)
      .text_array(baselines)
      .integer_array(priorities)
      .integer_array(max_attempts)
      .text_array(rules)
      .text_array(notes)
      .number_array(deadlines)
      .text_or_null(created_by)
      .text_or_null(traceparent);
  HONE_CO_TRY(const PgResult inserted, co_await transaction.execute(kInsert, std::move(rows)));
  Json answer = Json::array();
  for (int i = 0; i < inserted.size(); ++i) {
    submitted.ids.push_back(inserted.row(i).text("id"));
    answer.push_back(submitted.ids.back());
  }
  transaction.changes_object(submitted.ids.size() == 1 ? submitted.ids.front() : "");
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  transaction.changes_target(names.size() == 1 ? names.front() : "");
  transaction.changes_to(Json{{"jobs", answer}, {"targets", names}});
  HONE_CO_CHECK(co_await keep_answer(transaction, key, created_by, kOperation, std::move(answer)));
  co_return submitted;
}

}  // namespace

Async<SubmittedJobs> JobStore::submit(std::vector<JobRequest> batch, IdempotencyKey key,
                                      std::string created_by, std::string traceparent) {
  if (batch.empty() || batch.size() > kMaxJobsPerBatch) {
    Error error = fail(ErrorCode::invalid_argument, "bad jobs");
    error.fields.push_back(
        {"/jobs", "must hold 1 to " + std::to_string(kMaxJobsPerBatch) + " jobs"});
    co_return error;
  }
  const auto body = [&](PgTransaction& transaction) {
    return submit_in(transaction, batch, key, created_by, traceparent);
  };
  Result<SubmittedJobs> submitted = co_await in_transaction<SubmittedJobs>(pool_, body);
  co_return submitted;
}

Async<std::optional<SubmittedJobs>> JobStore::find_submitted(IdempotencyKey key,
                                                             std::string created_by) {
  Result<EarlierAnswer> found =
      co_await find_answer(pool_, std::move(key), std::move(created_by), kOperation);
  HONE_CO_TRY(const EarlierAnswer earlier, std::move(found));
  if (!earlier.answer) {
    co_return std::optional<SubmittedJobs>();
  }
  co_return std::optional(replayed(*earlier.answer));
}

}  // namespace hone
