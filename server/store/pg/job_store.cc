#include "server/store/job_store.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/protocol/rules.h"
#include "server/store/pg/idempotent.h"
#include "server/store/pg/job_records.h"
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

const PgStatement kFind{"job_find", std::string(kSelectJob) + "WHERE j.id = $1::uuid",
                        Repeat::safe};

const PgStatement kRules{"job_rules", R"sql(
SELECT coalesce(j.rules, k.rules) AS rules
FROM jobs j LEFT JOIN candidates k ON k.number = j.candidate WHERE j.number = $1)sql",
                         Repeat::safe};

const PgStatement kAttempts{"job_attempts", R"sql(
SELECT a.id, a.ordinal, w.name AS worker, a.state, a.reason, rfc3339(a.leased_at) AS leased_at,
       rfc3339(a.ended_at) AS ended_at
FROM attempts a JOIN workers w ON w.number = a.worker WHERE a.job = $1 ORDER BY a.ordinal)sql",
                            Repeat::safe};

const PgStatement kResult{"job_result", std::string("SELECT ") + kRewardColumns + R"sql(,
       r.attempt, r.outcome, r.reason, r.verdict, a.id AS reused_attempt, r.machine, r.compiler,
       r.plugin_sha256, r.launcher_version, r.linker, r.build_seconds, r.baseline_build_seconds,
       r.measure_seconds, r.links, r.layout_sigma, r.log, to_json(r.warnings) AS warnings
FROM results r LEFT JOIN attempts a ON a.number = r.reused_attempt WHERE r.job = $1)sql",
                          Repeat::safe};

const PgStatement kSamples{"job_samples", R"sql(
SELECT pair, position, block, layout, input, metric, role, value
FROM measurements WHERE attempt = $1 ORDER BY number)sql",
                           Repeat::safe};

const PgStatement kDecisions{"job_decisions", R"sql(
SELECT d.source, d.output, s.state_id, d.pipeline_hash, d.tuned, d.meant, d.reason,
       d.log_propensity
FROM decisions d LEFT JOIN states s ON s.number = d.state WHERE d.attempt = $1 ORDER BY d.number)sql",
                             Repeat::safe};

const PgStatement kBinaries{"job_binaries", R"sql(
SELECT role, path, sha256, size_bytes, text_bytes
FROM binaries WHERE attempt = $1 ORDER BY role, number)sql",
                            Repeat::safe};

const PgStatement kCountQueuedOf{"job_count_queued_of", R"sql(
SELECT count(*) AS count
FROM (SELECT FROM jobs
      WHERE state = 'queued' AND created_by = (SELECT number FROM tokens WHERE id = $1::uuid)
      LIMIT $2) counted)sql",
                                 Repeat::safe};

const PgStatement kCount{"job_count", R"sql(
SELECT s.state, count_jobs(s.state) AS count FROM unnest(enum_range(NULL::job_state)) AS s (state))sql",
                         Repeat::safe};

// What a queued job's target requires, and which of it some living worker has that takes jobs; a
// row if it requires anything.
const PgStatement kUnmet{"job_unmet", R"sql(
SELECT r.requires,
       coalesce(bool_or(meets_labels(w.labels, r.requires)), false) AS labels,
       coalesce(bool_or(meets_cpu(w.machine, r.requires)), false) AS cpu,
       coalesce(bool_or(meets_llvm(w.llvm, r.requires)), false) AS llvm,
       coalesce(bool_or(meets_memory(w.machine, r.requires)), false) AS memory,
       coalesce(bool_or(r.number = ANY (w.meets)), false) AS together
FROM jobs j
JOIN target_versions v ON v.target = j.target AND v.version = j.target_version
JOIN requirements r ON r.number = v.requirement
LEFT JOIN workers w ON w.drained_at IS NULL AND w.last_seen_at > now() - interval '3 minutes'
WHERE j.number = $1
GROUP BY r.number, r.requires)sql",
                         Repeat::safe};

// The row is locked first: a claim or a completion under way is waited for, then its outcome is
// seen.
const PgStatement kCancelLock{
    "job_cancel_lock", "SELECT number, state FROM jobs WHERE id = $1::uuid FOR NO KEY UPDATE",
    Repeat::unsafe};
const PgStatement kCancelQueued{"job_cancel_queued", R"sql(
UPDATE jobs SET state = 'cancelled', reason = 'cancelled on request', finished_at = now()
WHERE number = $1)sql",
                                Repeat::unsafe};
const PgStatement kCancelLeased{"job_cancel_leased", R"sql(
UPDATE jobs SET cancel_requested_at = coalesce(cancel_requested_at, now()) WHERE number = $1)sql",
                                Repeat::unsafe};

const PgStatement kRetryLock{"job_retry_lock", R"sql(
SELECT j.number, j.state, c.state AS campaign_state,
       c.state IS NULL OR c.state = CASE j.stage WHEN 'race' THEN 'racing' ELSE 'confirming' END::campaign_state
         AS is_wanted
FROM jobs j LEFT JOIN campaigns c ON c.number = j.campaign
WHERE j.id = $1::uuid FOR NO KEY UPDATE OF j)sql",
                             Repeat::unsafe};
const PgStatement kRetry{"job_retry", R"sql(
UPDATE jobs
SET state = 'queued', reason = '', finished_at = NULL, not_before = NULL, attempts_counted = 0,
    cancel_requested_at = NULL, deadline = CASE WHEN deadline > now() THEN deadline END
WHERE number = $1)sql",
                         Repeat::unsafe};

Async<SubmittedJobs> submit_in(PgTransaction& transaction, const std::vector<JobRequest>& batch,
                               const IdempotencyKey& key, const std::string& created_by,
                               const std::string& traceparent) {
  HONE_CO_TRY(const EarlierAnswer earlier,
              co_await claim_key(transaction, key, created_by, kOperation));
  SubmittedJobs submitted;
  if (earlier.answer) {
    submitted.replayed = true;
    transaction.changed_nothing();
    for (const Json& id : *earlier.answer) {
      submitted.ids.push_back(id.get<std::string>());
    }
    co_return submitted;
  }
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

Async<void> retry_in(PgTransaction& transaction, const std::string& id) {
  PgParams wanted;
  wanted.text(id);
  HONE_CO_TRY(const PgResult locked, co_await transaction.execute(kRetryLock, std::move(wanted)));
  if (locked.empty()) {
    co_return no_such("job", id);
  }
  const PgRow row = locked.first();
  const JobState state = row.one_of("state", parse_job_state);
  if (state == JobState::queued) {
    co_return Result<void>();
  }
  if (state != JobState::dead) {
    co_return fail(ErrorCode::conflict, "job '" + id + "' is " + std::string(to_string(state)) +
                                            ": only a dead job is tried again");
  }
  if (!row.truth("is_wanted")) {
    co_return fail(ErrorCode::conflict, "the campaign of job '" + id + "' is " +
                                            row.text("campaign_state") +
                                            " and has no more use for it");
  }
  PgParams number;
  number.integer(row.integer("number"));
  HONE_CO_CHECK(co_await transaction.execute(kRetry, std::move(number)));
  co_return Result<void>();
}

// What of the requirements no worker has, for people.
std::vector<std::string> unmet_texts(const PgRow& row) {
  const Json requires_json = row.json("requires");
  std::vector<std::string> unmet;
  const auto note = [&](const char* met, const char* field, const std::string& what) {
    if (!row.truth(met)) {
      unmet.push_back(what + " " + dump_json(requires_json[field]));
    }
  };
  note("labels", "labels", "labels");
  note("cpu", "cpu", "a CPU model with");
  note("llvm", "llvm", "LLVM");
  note("memory", "memory_mib", "memory in MiB of at least");
  if (unmet.empty() && !row.truth("together")) {
    unmet.push_back("all of it in one worker: " + dump_json(requires_json));
  }
  return unmet;
}

Async<void> cancel_in(PgTransaction& transaction, const std::string& id) {
  PgParams wanted;
  wanted.text(id);
  HONE_CO_TRY(const PgResult locked, co_await transaction.execute(kCancelLock, std::move(wanted)));
  if (locked.empty()) {
    co_return no_such("job", id);
  }
  const JobState state = locked.first().one_of("state", parse_job_state);
  if (state == JobState::done || state == JobState::dead) {
    co_return fail(ErrorCode::conflict,
                   "job '" + id + "' is " + std::string(to_string(state)) + " already");
  }
  if (state != JobState::cancelled) {
    PgParams number;
    number.integer(locked.first().integer("number"));
    const PgStatement& statement = state == JobState::queued ? kCancelQueued : kCancelLeased;
    HONE_CO_CHECK(co_await transaction.execute(statement, std::move(number)));
    transaction.changes_from(Json{{"state", to_string(state)}});
  } else {
    transaction.changed_nothing();
  }
  co_return Result<void>();
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

Async<JobView> JobStore::find(std::string id, SampleDetail samples) {
  if (!is_uuid(id)) {
    co_return no_such("job", id);
  }
  PgParams wanted;
  wanted.text(id);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFind, std::move(wanted)));
  if (found.empty()) {
    co_return no_such("job", id);
  }
  JobView job = read_job(found.first());
  PgParams number;
  number.integer(found.first().integer("number"));
  HONE_CO_TRY(const PgResult rules, co_await pool_.execute(kRules, number));
  job.rules = rules_from_json(rules.first().json("rules"));
  HONE_CO_TRY(const PgResult attempts, co_await pool_.execute(kAttempts, number));
  for (int i = 0; i < attempts.size(); ++i) {
    job.attempts.push_back(read_attempt(attempts.row(i)));
  }
  if (job.state == JobState::queued) {
    HONE_CO_TRY(const PgResult unmet, co_await pool_.execute(kUnmet, number));
    if (!unmet.empty()) {
      job.unmet = unmet_texts(unmet.first());
    }
  }
  if (job.state != JobState::done) {
    co_return job;
  }
  HONE_CO_TRY(const PgResult stored, co_await pool_.execute(kResult, std::move(number)));
  AttemptResult& result = job.result.emplace(read_result(stored.first()));
  PgParams attempt;
  attempt.integer(stored.first().integer("attempt"));
  HONE_CO_TRY(const PgResult decisions, co_await pool_.execute(kDecisions, attempt));
  for (int i = 0; i < decisions.size(); ++i) {
    result.decisions.push_back(read_decision(decisions.row(i)));
  }
  HONE_CO_TRY(const PgResult binaries, co_await pool_.execute(kBinaries, attempt));
  for (int i = 0; i < binaries.size(); ++i) {
    const PgRow row = binaries.row(i);
    const bool baseline = row.one_of("role", parse_sample_role) == SampleRole::baseline;
    (baseline ? result.baseline_binaries : result.binaries).push_back(read_binary(row));
  }
  if (samples == SampleDetail::include) {
    HONE_CO_TRY(const PgResult rows, co_await pool_.execute(kSamples, std::move(attempt)));
    result.samples.reserve(static_cast<std::size_t>(rows.size()));
    for (int i = 0; i < rows.size(); ++i) {
      result.samples.push_back(read_sample(rows.row(i)));
    }
  }
  co_return job;
}

Async<Page<JobView>> JobStore::list(JobFilter filter, PageRequest page) {
  HONE_CO_TRY(const std::optional<std::int64_t> before, number_cursor(page));
  Page<JobView> list;
  if (filter.campaign && !is_uuid(*filter.campaign)) {
    co_return list;  // no such campaign, so no jobs of it
  }
  // Only the conditions that are asked for, so that each combination gets a plan of its own.
  PgStatement statement{"job_list", kSelectJob, Repeat::safe};
  PgParams params;
  std::string conjunction = "WHERE ";
  const auto require = [&](std::string_view mark, const std::string& condition) {
    statement.name += "_";
    statement.name += mark;
    statement.sql += conjunction + condition + " $" + std::to_string(params.size());
    conjunction = " AND ";
  };
  if (filter.target) {
    params.text(*filter.target);
    require("target", "t.name =");
  }
  if (filter.campaign) {
    params.text(*filter.campaign);
    require("campaign", "j.campaign = (SELECT number FROM campaigns WHERE id =");
    statement.sql += "::uuid)";
  }
  if (filter.state) {
    params.text(to_string(*filter.state));
    require("state", "j.state =");
  }
  if (filter.reader.targets) {
    params.text_array(filter.reader.targets);
    require("seen", "t.name = ANY (");
    statement.sql += "::text[])";
  }
  if (before) {
    params.integer(*before);
    require("after", "j.number <");
  }
  params.integer(page.limit + 1);
  statement.sql += " ORDER BY j.number DESC LIMIT $" + std::to_string(params.size());
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(statement, std::move(params)));
  for (int i = 0; i < found.size() && i < page.limit; ++i) {
    list.items.push_back(read_job(found.row(i)));
    if (found.size() > page.limit) {
      list.next_cursor = found.row(i).text("number");
    }
  }
  co_return list;
}

Async<std::map<JobState, std::int64_t>> JobStore::count_by_state() {
  HONE_CO_TRY(const PgResult counted, co_await pool_.execute(kCount, PgParams()));
  std::map<JobState, std::int64_t> counts;
  for (int i = 0; i < counted.size(); ++i) {
    const PgRow row = counted.row(i);
    counts[row.one_of("state", parse_job_state)] = row.integer("count");
  }
  co_return counts;
}

Async<std::int64_t> JobStore::count_queued_of(std::string token, std::int64_t most) {
  PgParams params;
  params.text(token).integer(most);
  HONE_CO_TRY(const PgResult counted, co_await pool_.execute(kCountQueuedOf, std::move(params)));
  co_return counted.first().integer("count");
}

Async<JobView> JobStore::cancel(std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("job", id);
  }
  const auto body = [&](PgTransaction& transaction) { return cancel_in(transaction, id); };
  Result<void> cancelled = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(cancelled);
  Result<JobView> view = co_await find(id, SampleDetail::leave_out);
  co_return view;
}

Async<JobView> JobStore::retry(std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("job", id);
  }
  const auto body = [&](PgTransaction& transaction) { return retry_in(transaction, id); };
  Result<void> retried = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(retried);
  Result<JobView> view = co_await find(id, SampleDetail::leave_out);
  co_return view;
}

}  // namespace hone
