// JobStore: a result is counted, in one transaction, once.

#include <nlohmann/json.hpp>

#include "server/store/job_store.h"
#include "server/store/pg/attempt_lock.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"
#include "server/store/pg/self_checks.h"
#include "server/store/pg/source_profiles.h"

namespace hone {
namespace {

// Rows per statement. Larger gains little and makes long parameters.
constexpr std::size_t kBatch = 4096;

const PgStatement kFindReused{"complete_find_reused", R"sql(
SELECT r.attempt FROM results r
JOIN attempts a ON a.number = r.attempt JOIN jobs j ON j.number = r.job
WHERE a.id = $1::uuid AND j.target = $2)sql",
                              Repeat::safe};

const PgStatement kEndAttempt{"complete_end_attempt", R"sql(
UPDATE attempts SET state = $2::attempt_state, completion_sha256 = $3, reason = $4, ended_at = now()
WHERE number = $1)sql",
                              Repeat::unsafe};

const PgStatement kAddResult{"complete_add_result", R"sql(
INSERT INTO results (attempt, job, outcome, reason, verdict, reward, reward_low, reward_high,
                     reward_confidence, reward_pairs, reward_detectable_effect, reward_noise,
                     reused_attempt, machine, compiler, plugin_sha256, launcher_version, linker,
                     build_seconds, baseline_build_seconds, measure_seconds, log, warnings, links,
                     layout_sigma, text_bytes, baseline_text_bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::jsonb, $15, $16, $17, $18, $19,
        $20, $21, $22, $23, $24, $25, $26, $27))sql",
                             Repeat::unsafe};

const PgStatement kAddSamples{"complete_add_samples", R"sql(
INSERT INTO measurements (attempt, number, pair, block, layout, position, role, metric, stage,
                          baseline, value, input)
SELECT $1, $2::integer + (place - 1)::integer, pair, block, layout, position, role::sample_role,
       metric::metric, $3::stage, $4::baseline_kind, value, input
FROM unnest($5::integer[], $6::integer[], $7::integer[], $8::smallint[], $9::text[], $10::text[],
            $11::double precision[], $12::text[])
     WITH ORDINALITY AS s (pair, block, layout, position, role, metric, value, input, place))sql",
                              Repeat::unsafe};

// In one order everywhere, so that two completions with the same states do not deadlock.
const PgStatement kAddStates{"complete_add_states", R"sql(
INSERT INTO states (state_id)
SELECT DISTINCT id FROM unnest($1::text[]) AS wanted (id) WHERE id <> '' ORDER BY id
ON CONFLICT (state_id) DO NOTHING)sql",
                             Repeat::unsafe};

// A state that was removed since it was found (retention_store.cc) is number 0, which there is none
// of: the statement fails, and the worker sends its result once more.
const PgStatement kAddDecisions{"complete_add_decisions", R"sql(
INSERT INTO decisions (attempt, number, source, output, state, pipeline_hash, tuned, meant, reason,
                       log_propensity)
SELECT $1, $2::integer + (place - 1)::integer, source, output,
       CASE WHEN d.state_id <> '' THEN coalesce(s.number, 0) END, pipeline_hash, tuned, meant, reason,
       log_propensity
FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::boolean[],
            $9::text[], $10::double precision[])
     WITH ORDINALITY
     AS d (source, output, state_id, pipeline_hash, tuned, meant, reason, log_propensity, place)
LEFT JOIN states s ON s.state_id = d.state_id)sql",
                                Repeat::unsafe};

const PgStatement kAddBinaries{"complete_add_binaries", R"sql(
INSERT INTO binaries (attempt, role, number, path, sha256, size_bytes, text_bytes)
SELECT $1, $2::sample_role, place - 1, path, sha256, size_bytes, text_bytes
FROM unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[])
     WITH ORDINALITY AS b (path, sha256, size_bytes, text_bytes, place))sql",
                               Repeat::unsafe};

const PgStatement kSummarise{"complete_summarise", "SELECT summarise_results(ARRAY[$1::bigint])",
                             Repeat::unsafe};

// After all that its line is made of.
const PgStatement kAddExperience{"complete_add_experience", R"sql(
INSERT INTO experiences (id, source, attempt, line)
SELECT made.id, 'staging', $1, experience_line(made.id, 'staging', $1, now())
FROM (SELECT gen_random_uuid() AS id) AS made)sql",
                                 Repeat::unsafe};

// After the result: the trigger that writes the event reads it.
const PgStatement kEndJob{"complete_end_job", R"sql(
UPDATE jobs SET state = $2::job_state, reason = $3, finished_at = now() WHERE number = $1)sql",
                          Repeat::unsafe};

std::optional<std::int64_t> text_bytes(const std::vector<BinaryInfo>& binaries) {
  if (binaries.empty()) {
    return std::nullopt;
  }
  std::int64_t sum = 0;
  for (const BinaryInfo& binary : binaries) {
    sum += binary.text_bytes;
  }
  return sum;
}

Async<void> add_result(PgTransaction& transaction, const LockedAttempt& attempt,
                       const AttemptResult& result, std::optional<std::int64_t> reused) {
  PgParams row;
  row.integer(attempt.number).integer(attempt.job).text(to_string(result.outcome));
  row.text(result.reason).text_or_null(result.verdict ? to_string(*result.verdict) : "");
  if (const std::optional<RewardEstimate>& reward = result.reward) {
    row.number(reward->value).number(reward->low).number(reward->high);
    row.number(reward->confidence).integer(reward->pairs);
    row.number(reward->detectable_effect).number(reward->noise);
  } else {
    for (int i = 0; i < 7; ++i) {
      row.null();
    }
  }
  row.integer(reused).json(to_json(result.machine));
  row.text(result.toolchain.compiler).text(result.toolchain.plugin_sha256);
  row.text(result.toolchain.launcher_version).text(result.toolchain.linker);
  row.number(result.build_seconds).number(result.baseline_build_seconds);
  row.number(result.measure_seconds).text(result.log).text_array(result.warnings);
  row.integer(result.links).number(result.layout_sigma);
  row.integer(text_bytes(result.binaries)).integer(text_bytes(result.baseline_binaries));
  HONE_CO_CHECK(co_await transaction.execute(kAddResult, std::move(row)));
  co_return Result<void>();
}

Async<void> add_samples(PgTransaction& transaction, const LockedAttempt& attempt,
                        const std::vector<Sample>& samples) {
  for (std::size_t start = 0; start < samples.size(); start += kBatch) {
    std::vector<std::int64_t> pairs;
    std::vector<std::int64_t> blocks;
    std::vector<std::int64_t> layouts;
    std::vector<std::int64_t> positions;
    std::vector<std::string> roles;
    std::vector<std::string> metrics;
    std::vector<std::optional<double>> values;
    std::vector<std::string> inputs;
    for (std::size_t i = start; i < samples.size() && i < start + kBatch; ++i) {
      const Sample& sample = samples[i];
      pairs.push_back(sample.pair);
      blocks.push_back(sample.block);
      layouts.push_back(sample.layout);
      positions.push_back(sample.position);
      roles.emplace_back(to_string(sample.role));
      metrics.emplace_back(to_string(sample.metric));
      values.emplace_back(sample.value);
      inputs.push_back(sample.input);
    }
    PgParams rows;
    rows.integer(attempt.number).integer(static_cast<std::int64_t>(start));
    rows.text(to_string(attempt.stage)).text(to_string(attempt.baseline));
    rows.integer_array(pairs).integer_array(blocks).integer_array(layouts);
    rows.integer_array(positions).text_array(roles).text_array(metrics).number_array(values);
    rows.text_array(inputs);
    HONE_CO_CHECK(co_await transaction.execute(kAddSamples, std::move(rows)));
  }
  co_return Result<void>();
}

Async<void> add_decisions(PgTransaction& transaction, std::int64_t attempt,
                          const std::vector<EffectiveDecision>& decisions) {
  for (std::size_t start = 0; start < decisions.size(); start += kBatch) {
    std::vector<std::string> sources;
    std::vector<std::string> outputs;
    std::vector<std::string> states;
    std::vector<std::string> hashes;
    std::vector<bool> tuned;
    std::vector<bool> meant;
    std::vector<std::string> reasons;
    std::vector<std::optional<double>> propensities;
    for (std::size_t i = start; i < decisions.size() && i < start + kBatch; ++i) {
      const EffectiveDecision& decision = decisions[i];
      sources.push_back(decision.source);
      outputs.push_back(decision.output);
      states.push_back(decision.state_id);
      hashes.push_back(decision.pipeline_hash);
      tuned.push_back(decision.tuned);
      meant.push_back(decision.meant);
      reasons.push_back(decision.reason);
      propensities.push_back(decision.log_propensity);
    }
    PgParams ids;
    ids.text_array(states);
    HONE_CO_CHECK(co_await transaction.execute(kAddStates, std::move(ids)));
    PgParams rows;
    rows.integer(attempt).integer(static_cast<std::int64_t>(start));
    rows.text_array(sources).text_array(outputs).text_array(states).text_array(hashes);
    rows.truth_array(tuned).truth_array(meant).text_array(reasons).number_array(propensities);
    HONE_CO_CHECK(co_await transaction.execute(kAddDecisions, std::move(rows)));
  }
  co_return Result<void>();
}

Async<void> add_binaries(PgTransaction& transaction, std::int64_t attempt, SampleRole role,
                         const std::vector<BinaryInfo>& binaries) {
  std::vector<std::string> paths;
  std::vector<std::string> hashes;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> texts;
  for (const BinaryInfo& binary : binaries) {
    paths.push_back(binary.path);
    hashes.push_back(binary.sha256);
    sizes.push_back(binary.size_bytes);
    texts.push_back(binary.text_bytes);
  }
  PgParams rows;
  rows.integer(attempt).text(to_string(role)).text_array(paths).text_array(hashes);
  rows.integer_array(sizes).integer_array(texts);
  HONE_CO_CHECK(co_await transaction.execute(kAddBinaries, std::move(rows)));
  co_return Result<void>();
}

Async<std::optional<std::int64_t>> find_reused(PgTransaction& transaction, std::string id,
                                               std::int64_t target) {
  std::optional<std::int64_t> reused;
  if (id.empty()) {
    co_return reused;
  }
  if (is_uuid(id)) {
    PgParams wanted;
    wanted.text(id).integer(target);
    HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFindReused, std::move(wanted)));
    if (!found.empty()) {
      reused = found.first().integer("attempt");
      co_return reused;
    }
  }
  Error error = fail(ErrorCode::invalid_argument, "bad result");
  error.fields.push_back(
      {"/reused_attempt", "'" + id + "' is no completed attempt at this target"});
  co_return error;
}

Async<void> count_result(PgTransaction& transaction, const LockedAttempt& attempt,
                         const AttemptResult& result) {
  HONE_CO_TRY(const std::optional<std::int64_t> reused,
              co_await find_reused(transaction, result.reused_attempt, attempt.target));
  HONE_CO_CHECK(co_await add_result(transaction, attempt, result, reused));
  HONE_CO_CHECK(co_await add_samples(transaction, attempt, result.samples));
  if (!result.samples.empty()) {
    PgParams summarised;
    summarised.integer(attempt.number);
    HONE_CO_CHECK(co_await transaction.execute(kSummarise, std::move(summarised)));
  }
  HONE_CO_CHECK(co_await add_decisions(transaction, attempt.number, result.decisions));
  HONE_CO_CHECK(
      co_await add_binaries(transaction, attempt.number, SampleRole::candidate, result.binaries));
  HONE_CO_CHECK(co_await add_binaries(transaction, attempt.number, SampleRole::baseline,
                                      result.baseline_binaries));
  if (result.self_check) {
    HONE_CO_CHECK(co_await add_self_check(transaction, attempt, *result.self_check));
  }
  if (result.profile) {
    HONE_CO_CHECK(co_await add_source_profile(transaction, attempt, *result.profile));
  }
  PgParams experience;
  experience.integer(attempt.number);
  HONE_CO_CHECK(co_await transaction.execute(kAddExperience, std::move(experience)));
  co_return Result<void>();
}

Async<void> complete_in(PgTransaction& transaction, const std::string& id, const std::string& token,
                        const AttemptResult& result, const std::string& body_sha256) {
  HONE_CO_TRY(const LockedAttempt attempt, co_await lock_attempt(transaction, id, token));
  if (attempt.state != AttemptState::leased) {
    if (attempt.completion_sha256.empty()) {
      co_return lease_ended(attempt);
    }
    if (attempt.completion_sha256 != body_sha256) {
      co_return fail(ErrorCode::conflict, "attempt '" + id + "' was completed with another result");
    }
    co_return Result<void>();
  }
  const bool cancelled = result.outcome == Outcome::cancelled;
  if (cancelled && !attempt.cancel_requested) {
    co_return fail(ErrorCode::conflict,
                   "nobody cancelled job '" + attempt.job_id + "': hand the lease back instead");
  }
  PgParams ended;
  ended.integer(attempt.number)
      .text(to_string(cancelled ? AttemptState::cancelled : AttemptState::completed))
      .text(body_sha256)
      .text(result.reason);
  HONE_CO_CHECK(co_await transaction.execute(kEndAttempt, std::move(ended)));
  if (!cancelled) {
    HONE_CO_CHECK(co_await count_result(transaction, attempt, result));
  }
  PgParams job;
  job.integer(attempt.job)
      .text(to_string(cancelled ? JobState::cancelled : JobState::done))
      .text(cancelled ? "cancelled on request" : "");
  HONE_CO_CHECK(co_await transaction.execute(kEndJob, std::move(job)));
  co_return Result<void>();
}

}  // namespace

Async<void> JobStore::complete(std::string attempt, std::string token, AttemptResult result,
                               std::string body_sha256) {
  const auto body = [&](PgTransaction& transaction) {
    return complete_in(transaction, attempt, token, result, body_sha256);
  };
  Result<void> completed = co_await in_transaction<void>(pool_, body);
  co_return completed;
}

}  // namespace hone
