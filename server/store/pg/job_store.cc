// JobStore: jobs found, listed and counted. How they come is in job_submission.cc, what people do
// to them in job_changes.cc, leases in job_claims.cc, job_leases.cc and job_completion.cc.

#include "server/store/job_store.h"

#include <nlohmann/json.hpp>

#include "common/protocol/rules.h"
#include "server/store/pg/job_records.h"
#include "server/store/pg/job_waits.h"
#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

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

}  // namespace

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
    const Result<void> told = co_await tell_waits(pool_, found.first().integer("number"), job);
    HONE_CO_CHECK(told);
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

}  // namespace hone
