#include "server/store/pg/completion_rows.h"

#include <nlohmann/json.hpp>

#include "server/store/pg/self_checks.h"
#include "server/store/pg/source_profiles.h"

namespace hone {
namespace {

// Rows per statement. Larger gains little and makes long parameters.
constexpr std::size_t kBatch = 4096;

// Whole numbers that may be null come as numbers.
const PgStatement kAddResults{"complete_add_results", R"sql(
INSERT INTO results (attempt, job, outcome, reason, verdict, reward, reward_low, reward_high,
                     reward_confidence, reward_pairs, reward_detectable_effect, reward_noise,
                     reused_attempt, machine, compiler, plugin_sha256, launcher_version, linker,
                     build_seconds, baseline_build_seconds, measure_seconds, log, warnings, links,
                     layout_sigma, text_bytes, baseline_text_bytes)
SELECT attempt, job, outcome::outcome, reason, nullif(verdict, '')::verdict, reward, reward_low,
       reward_high, reward_confidence, reward_pairs::bigint, reward_detectable_effect, reward_noise,
       reused::bigint, machine::jsonb, compiler, plugin_sha256, launcher_version, linker,
       build_seconds, baseline_build_seconds, measure_seconds, log,
       ARRAY(SELECT w.text FROM jsonb_array_elements_text(warnings::jsonb) WITH ORDINALITY
             AS w (text, place) ORDER BY w.place),
       links, layout_sigma, text_bytes::bigint, baseline_text_bytes::bigint
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[],
            $6::double precision[], $7::double precision[], $8::double precision[],
            $9::double precision[], $10::double precision[], $11::double precision[],
            $12::double precision[], $13::double precision[], $14::text[], $15::text[], $16::text[],
            $17::text[], $18::text[], $19::double precision[], $20::double precision[],
            $21::double precision[], $22::text[], $23::text[], $24::integer[],
            $25::double precision[], $26::double precision[], $27::double precision[])
     AS r (attempt, job, outcome, reason, verdict, reward, reward_low, reward_high,
           reward_confidence, reward_pairs, reward_detectable_effect, reward_noise, reused, machine,
           compiler, plugin_sha256, launcher_version, linker, build_seconds,
           baseline_build_seconds, measure_seconds, log, warnings, links, layout_sigma, text_bytes,
           baseline_text_bytes))sql",
                              Repeat::unsafe};

const PgStatement kAddSamples{"complete_add_samples", R"sql(
INSERT INTO measurements (attempt, number, pair, block, layout, position, role, metric, stage,
                          baseline, value, input)
SELECT attempt, number, pair, block, layout, position, role::sample_role, metric::metric,
       stage::stage, baseline::baseline_kind, value, input
FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::integer[],
            $6::smallint[], $7::text[], $8::text[], $9::text[], $10::text[],
            $11::double precision[], $12::text[])
     AS s (attempt, number, pair, block, layout, position, role, metric, stage, baseline, value,
           input))sql",
                              Repeat::unsafe};

// In one order everywhere, so that two completions with the same states do not deadlock.
const PgStatement kAddStates{"complete_add_states", R"sql(
INSERT INTO states (state_id)
SELECT DISTINCT id FROM unnest($1::text[]) AS wanted (id)
WHERE id <> '' AND NOT EXISTS (SELECT FROM states s WHERE s.state_id = wanted.id)
ORDER BY id
ON CONFLICT (state_id) DO NOTHING)sql",
                             Repeat::unsafe};

// A state that was removed since it was found (retention_store.cc) is number 0, which there is none
// of: the statement fails, and the worker sends its result once more.
const PgStatement kAddDecisions{"complete_add_decisions", R"sql(
INSERT INTO decisions (attempt, number, source, output, state, pipeline_hash, tuned, meant, reason,
                       log_propensity)
SELECT d.attempt, d.number, d.source, d.output,
       CASE WHEN d.state_id <> '' THEN coalesce(s.number, 0) END, d.pipeline_hash, d.tuned, d.meant,
       d.reason, d.log_propensity
FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[],
            $7::boolean[], $8::boolean[], $9::text[], $10::double precision[])
     AS d (attempt, number, source, output, state_id, pipeline_hash, tuned, meant, reason,
           log_propensity)
LEFT JOIN states s ON s.state_id = d.state_id)sql",
                                Repeat::unsafe};

const PgStatement kAddBinaries{"complete_add_binaries", R"sql(
INSERT INTO binaries (attempt, role, number, path, sha256, size_bytes, text_bytes)
SELECT attempt, role::sample_role, number, path, sha256, size_bytes, text_bytes
FROM unnest($1::bigint[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::bigint[],
            $7::bigint[])
     AS b (attempt, role, number, path, sha256, size_bytes, text_bytes))sql",
                               Repeat::unsafe};

const PgStatement kSummarise{"complete_summarise", "SELECT summarise_results($1::bigint[])",
                             Repeat::unsafe};

// After all that its lines are made of.
const PgStatement kAddExperiences{"complete_add_experiences", R"sql(
INSERT INTO experiences (id, source, attempt, line)
SELECT made.id, 'staging', made.attempt, experience_line(made.id, 'staging', made.attempt, now())
FROM (SELECT ordered_uuid() AS id, attempt
      FROM unnest($1::bigint[]) AS counted (attempt)) AS made)sql",
                                  Repeat::unsafe};

using Numbers = std::vector<std::optional<double>>;
using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;

std::optional<double> number_or_null(const std::optional<std::int64_t>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

std::optional<double> text_bytes(const std::vector<BinaryInfo>& binaries) {
  if (binaries.empty()) {
    return std::nullopt;
  }
  std::int64_t sum = 0;
  for (const BinaryInfo& binary : binaries) {
    sum += binary.text_bytes;
  }
  return static_cast<double>(sum);
}

// Parameter columns of kAddResults.
struct ResultColumns {
  Integers attempts, jobs, links;
  Texts outcomes, reasons, verdicts, machines, compilers, plugins, launchers, linkers, logs,
      warnings;
  Numbers rewards, lows, highs, confidences, pairs, effects, noises, reused, builds,
      baseline_builds, measured, sigmas, texts, baseline_texts;

  void add(const CountedResult& counted) {
    const AttemptResult& result = *counted.result;
    attempts.push_back(counted.attempt->number);
    jobs.push_back(counted.attempt->job);
    outcomes.emplace_back(to_string(result.outcome));
    reasons.push_back(result.reason);
    verdicts.emplace_back(result.verdict ? to_string(*result.verdict) : "");
    add_reward(result.reward);
    reused.push_back(number_or_null(counted.reused));
    machines.push_back(storable_json_text(to_json(result.machine)));
    compilers.push_back(result.toolchain.compiler);
    plugins.push_back(result.toolchain.plugin_sha256);
    launchers.push_back(result.toolchain.launcher_version);
    linkers.push_back(result.toolchain.linker);
    builds.emplace_back(result.build_seconds);
    baseline_builds.emplace_back(result.baseline_build_seconds);
    measured.emplace_back(result.measure_seconds);
    logs.push_back(result.log);
    warnings.push_back(storable_json_text(Json(result.warnings)));
    links.push_back(result.links);
    sigmas.emplace_back(result.layout_sigma);
    texts.push_back(text_bytes(result.binaries));
    baseline_texts.push_back(text_bytes(result.baseline_binaries));
  }

  void add_reward(const std::optional<RewardEstimate>& reward) {
    const auto put = [&reward](Numbers& column, double RewardEstimate::* field) {
      column.push_back(reward ? std::optional<double>((*reward).*field) : std::nullopt);
    };
    put(rewards, &RewardEstimate::value);
    put(lows, &RewardEstimate::low);
    put(highs, &RewardEstimate::high);
    put(confidences, &RewardEstimate::confidence);
    pairs.push_back(reward ? std::optional<double>(static_cast<double>(reward->pairs))
                           : std::nullopt);
    put(effects, &RewardEstimate::detectable_effect);
    put(noises, &RewardEstimate::noise);
  }

  PgParams params() const {
    PgParams row;
    row.integer_array(attempts).integer_array(jobs).text_array(outcomes).text_array(reasons);
    row.text_array(verdicts).number_array(rewards).number_array(lows).number_array(highs);
    row.number_array(confidences).number_array(pairs).number_array(effects).number_array(noises);
    row.number_array(reused).text_array(machines).text_array(compilers).text_array(plugins);
    row.text_array(launchers).text_array(linkers).number_array(builds);
    row.number_array(baseline_builds).number_array(measured).text_array(logs).text_array(warnings);
    row.integer_array(links).number_array(sigmas).number_array(texts).number_array(baseline_texts);
    return row;
  }
};

struct SampleColumns {
  Integers attempts, numbers, pairs, blocks, layouts, positions;
  Texts roles, metrics, stages, baselines, inputs;
  Numbers values;

  void add(const LockedAttempt& attempt, std::size_t number, const Sample& sample) {
    attempts.push_back(attempt.number);
    numbers.push_back(static_cast<std::int64_t>(number));
    pairs.push_back(sample.pair);
    blocks.push_back(sample.block);
    layouts.push_back(sample.layout);
    positions.push_back(sample.position);
    roles.emplace_back(to_string(sample.role));
    metrics.emplace_back(to_string(sample.metric));
    stages.emplace_back(to_string(attempt.stage));
    baselines.emplace_back(to_string(attempt.baseline));
    values.emplace_back(sample.value);
    inputs.push_back(sample.input);
  }

  PgParams params() const {
    PgParams rows;
    rows.integer_array(attempts).integer_array(numbers).integer_array(pairs).integer_array(blocks);
    rows.integer_array(layouts).integer_array(positions).text_array(roles).text_array(metrics);
    rows.text_array(stages).text_array(baselines).number_array(values).text_array(inputs);
    return rows;
  }
};

struct DecisionColumns {
  Integers attempts, numbers;
  Texts sources, outputs, states, hashes, reasons;
  std::vector<bool> tuned, meant;
  Numbers propensities;

  void add(const LockedAttempt& attempt, std::size_t number, const EffectiveDecision& decision) {
    attempts.push_back(attempt.number);
    numbers.push_back(static_cast<std::int64_t>(number));
    sources.push_back(decision.source);
    outputs.push_back(decision.output);
    states.push_back(decision.state_id);
    hashes.push_back(decision.pipeline_hash);
    tuned.push_back(decision.tuned);
    meant.push_back(decision.meant);
    reasons.push_back(decision.reason);
    propensities.push_back(decision.log_propensity);
  }

  PgParams params() const {
    PgParams rows;
    rows.integer_array(attempts).integer_array(numbers).text_array(sources).text_array(outputs);
    rows.text_array(states).text_array(hashes).truth_array(tuned).truth_array(meant);
    rows.text_array(reasons).number_array(propensities);
    return rows;
  }
};

// Calls `write` with the columns of at most kBatch rows at a time. `rows_of` gives a result's list.
template <class Columns, class RowsOf, class Write>
Async<void> in_batches(const std::vector<CountedResult>& results, RowsOf rows_of, Write write) {
  Columns columns;
  for (const CountedResult& counted : results) {
    const auto& rows = rows_of(*counted.result);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      columns.add(*counted.attempt, i, rows[i]);
      if (columns.attempts.size() == kBatch) {
        Async<void> writing = write(std::exchange(columns, {}));
        HONE_CO_CHECK(co_await std::move(writing));
      }
    }
  }
  if (!columns.attempts.empty()) {
    Async<void> writing = write(std::move(columns));
    HONE_CO_CHECK(co_await std::move(writing));
  }
  co_return Result<void>();
}

Async<void> write_samples(PgTransaction& transaction, SampleColumns columns) {
  HONE_CO_CHECK(co_await transaction.execute(kAddSamples, columns.params()));
  co_return Result<void>();
}

Async<void> write_decisions(PgTransaction& transaction, DecisionColumns columns) {
  PgParams ids;
  ids.text_array(columns.states);
  HONE_CO_CHECK(co_await transaction.execute(kAddStates, std::move(ids)));
  HONE_CO_CHECK(co_await transaction.execute(kAddDecisions, columns.params()));
  co_return Result<void>();
}

Async<void> add_binaries(PgTransaction& transaction, const std::vector<CountedResult>& results) {
  Integers attempts;
  Integers numbers;
  Integers sizes;
  Integers texts;
  Texts roles;
  Texts paths;
  Texts hashes;
  for (const CountedResult& counted : results) {
    for (const SampleRole role : {SampleRole::candidate, SampleRole::baseline}) {
      const std::vector<BinaryInfo>& binaries = role == SampleRole::candidate
                                                    ? counted.result->binaries
                                                    : counted.result->baseline_binaries;
      for (std::size_t i = 0; i < binaries.size(); ++i) {
        attempts.push_back(counted.attempt->number);
        roles.emplace_back(to_string(role));
        numbers.push_back(static_cast<std::int64_t>(i));
        paths.push_back(binaries[i].path);
        hashes.push_back(binaries[i].sha256);
        sizes.push_back(binaries[i].size_bytes);
        texts.push_back(binaries[i].text_bytes);
      }
    }
  }
  if (attempts.empty()) {
    co_return Result<void>();
  }
  PgParams rows;
  rows.integer_array(attempts).text_array(roles).integer_array(numbers).text_array(paths);
  rows.text_array(hashes).integer_array(sizes).integer_array(texts);
  HONE_CO_CHECK(co_await transaction.execute(kAddBinaries, std::move(rows)));
  co_return Result<void>();
}

// Those with samples are summarised.
Async<void> summarise(PgTransaction& transaction, const std::vector<CountedResult>& results) {
  Integers attempts;
  for (const CountedResult& counted : results) {
    if (!counted.result->samples.empty()) {
      attempts.push_back(counted.attempt->number);
    }
  }
  if (!attempts.empty()) {
    PgParams summarised;
    summarised.integer_array(attempts);
    HONE_CO_CHECK(co_await transaction.execute(kSummarise, std::move(summarised)));
  }
  co_return Result<void>();
}

}  // namespace

Async<void> add_results(PgTransaction& transaction, const std::vector<CountedResult>& results) {
  if (results.empty()) {
    co_return Result<void>();
  }
  ResultColumns columns;
  for (const CountedResult& counted : results) {
    columns.add(counted);
  }
  HONE_CO_CHECK(co_await transaction.execute(kAddResults, columns.params()));
  const auto samples_of = [](const AttemptResult& result) -> const std::vector<Sample>& {
    return result.samples;
  };
  const auto write_sample_rows = [&transaction](SampleColumns rows) {
    return write_samples(transaction, std::move(rows));
  };
  Async<void> samples = in_batches<SampleColumns>(results, samples_of, write_sample_rows);
  HONE_CO_CHECK(co_await std::move(samples));
  HONE_CO_CHECK(co_await summarise(transaction, results));
  const auto decisions_of =
      [](const AttemptResult& result) -> const std::vector<EffectiveDecision>& {
    return result.decisions;
  };
  const auto write_decision_rows = [&transaction](DecisionColumns rows) {
    return write_decisions(transaction, std::move(rows));
  };
  Async<void> decisions = in_batches<DecisionColumns>(results, decisions_of, write_decision_rows);
  HONE_CO_CHECK(co_await std::move(decisions));
  HONE_CO_CHECK(co_await add_binaries(transaction, results));
  for (const CountedResult& counted : results) {
    if (counted.result->self_check) {
      HONE_CO_CHECK(
          co_await add_self_check(transaction, *counted.attempt, *counted.result->self_check));
    }
    if (counted.result->profile) {
      HONE_CO_CHECK(
          co_await add_source_profile(transaction, *counted.attempt, *counted.result->profile));
    }
  }
  PgParams experiences;
  experiences.integer_array(columns.attempts);
  HONE_CO_CHECK(co_await transaction.execute(kAddExperiences, std::move(experiences)));
  co_return Result<void>();
}

}  // namespace hone
