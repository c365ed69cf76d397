-- What the dashboard reads: a row a result instead of its samples, and workers that are to take no more work.

ALTER TABLE workers ADD COLUMN drained_at timestamptz;
COMMENT ON COLUMN workers.drained_at IS 'Since when it is given no new job, on request; null: it is';

ALTER TABLE results
  ADD COLUMN text_bytes bigint,
  ADD COLUMN baseline_text_bytes bigint;
COMMENT ON COLUMN results.text_bytes IS 'Sum over the candidate''s binaries; null if none was built. baseline_text_bytes likewise';
UPDATE results r
SET text_bytes = b.candidate, baseline_text_bytes = b.baseline
FROM (SELECT attempt, sum(text_bytes) FILTER (WHERE role = 'candidate') AS candidate,
             sum(text_bytes) FILTER (WHERE role = 'baseline') AS baseline
      FROM binaries GROUP BY attempt) AS b
WHERE b.attempt = r.attempt;

CREATE TABLE result_summaries (
  attempt bigint NOT NULL REFERENCES results,
  metric metric NOT NULL,
  target bigint NOT NULL,
  target_version integer NOT NULL,
  baseline baseline_kind NOT NULL,
  worker bigint NOT NULL REFERENCES workers,
  stage stage NOT NULL,
  at timestamptz NOT NULL,
  samples bigint NOT NULL,
  baseline_value double precision,
  baseline_low double precision,
  baseline_high double precision,
  candidate_value double precision,
  candidate_low double precision,
  candidate_high double precision,
  verdict verdict,
  reward double precision,
  reward_low double precision,
  reward_high double precision,
  PRIMARY KEY (attempt, metric),
  FOREIGN KEY (target, target_version) REFERENCES target_versions (target, version)
);
COMMENT ON TABLE result_summaries IS 'A target''s history: what a result''s samples come to, a row for each metric. Made from them by summarise_results(); they could be made anew';
COMMENT ON COLUMN result_summaries.baseline_value IS 'Median over the runs; of several inputs the geometric mean of their medians. low and high: quartiles, likewise';
COMMENT ON COLUMN result_summaries.at IS 'When the result was counted';
COMMENT ON COLUMN result_summaries.reward IS 'The result''s own, and its verdict, in the row of the metric that it is about; null in others';
CREATE INDEX result_summaries_of_series
  ON result_summaries (target, metric, baseline, worker, at, attempt)
  INCLUDE (stage, target_version, baseline_value, candidate_value, reward);
CREATE INDEX result_summaries_slower ON result_summaries (at)
  WHERE stage = 'confirm' AND verdict = 'slower';

-- A year has 8,760 of these a series, however many results it has: what a whole history is drawn from.
CREATE TABLE history_hours (
  target bigint NOT NULL,
  metric metric NOT NULL,
  baseline baseline_kind NOT NULL,
  worker bigint NOT NULL REFERENCES workers,
  hour timestamptz NOT NULL,
  stage stage NOT NULL,
  results bigint NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  target_version integer NOT NULL,
  baselines bigint NOT NULL,
  baseline_sum double precision,
  baseline_min double precision,
  baseline_max double precision,
  candidates bigint NOT NULL,
  candidate_sum double precision,
  candidate_min double precision,
  candidate_max double precision,
  rewards bigint NOT NULL,
  reward_sum double precision,
  reward_min double precision,
  reward_max double precision,
  PRIMARY KEY (target, metric, baseline, worker, hour, stage),
  FOREIGN KEY (target, target_version) REFERENCES target_versions (target, version)
);
COMMENT ON TABLE history_hours IS 'result_summaries by the hour. Kept by summarise_results()';
COMMENT ON COLUMN history_hours.baselines IS 'Results that have the value; sum, min and max are over these. Likewise candidates and rewards';
COMMENT ON COLUMN history_hours.target_version IS 'The newest among them';

CREATE FUNCTION summarise_results(attempts bigint[]) RETURNS void LANGUAGE sql AS $$
  WITH added AS (
  INSERT INTO result_summaries (
    attempt, metric, target, target_version, baseline, worker, stage, at, samples, baseline_value,
    baseline_low, baseline_high, candidate_value, candidate_low, candidate_high, verdict, reward,
    reward_low, reward_high)
  SELECT s.attempt, s.metric, j.target, j.target_version, j.baseline, a.worker, j.stage,
         r.created_at, s.samples, s.baseline_value, s.baseline_low, s.baseline_high,
         s.candidate_value, s.candidate_low, s.candidate_high,
         CASE WHEN own.measured THEN r.verdict END, CASE WHEN own.measured THEN r.reward END,
         CASE WHEN own.measured THEN r.reward_low END, CASE WHEN own.measured THEN r.reward_high END
  FROM (
    SELECT attempt, metric, sum(runs)::bigint AS samples,
           exp(avg(ln(quartiles[2])) FILTER (WHERE role = 'baseline')) AS baseline_value,
           exp(avg(ln(quartiles[1])) FILTER (WHERE role = 'baseline')) AS baseline_low,
           exp(avg(ln(quartiles[3])) FILTER (WHERE role = 'baseline')) AS baseline_high,
           exp(avg(ln(quartiles[2])) FILTER (WHERE role = 'candidate')) AS candidate_value,
           exp(avg(ln(quartiles[1])) FILTER (WHERE role = 'candidate')) AS candidate_low,
           exp(avg(ln(quartiles[3])) FILTER (WHERE role = 'candidate')) AS candidate_high
    FROM (
      SELECT attempt, metric, input, role, count(*) AS runs,
             percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY value) AS quartiles
      FROM measurements
      WHERE attempt = ANY ($1) AND value > 0
      GROUP BY attempt, metric, input, role) AS of_input
    GROUP BY attempt, metric) AS s
  JOIN results r ON r.attempt = s.attempt
  JOIN attempts a ON a.number = r.attempt
  JOIN jobs j ON j.number = r.job
  JOIN target_versions v ON v.target = j.target AND v.version = j.target_version
  CROSS JOIN LATERAL (
    SELECT coalesce(v.spec #>> '{benchmark,metric,metric}', 'cpu_time') = s.metric::text AS measured) AS own
  ON CONFLICT DO NOTHING
  RETURNING *)
  -- In one order everywhere, so that two completions do not wait for each other.
  INSERT INTO history_hours AS h (
    target, metric, baseline, worker, stage, hour, results, first_at, last_at, target_version,
    baselines, baseline_sum, baseline_min, baseline_max, candidates, candidate_sum, candidate_min,
    candidate_max, rewards, reward_sum, reward_min, reward_max)
  SELECT target, metric, baseline, worker, stage, date_trunc('hour', at, 'UTC'), count(*), min(at),
         max(at), max(target_version), count(baseline_value), sum(baseline_value),
         min(baseline_value), max(baseline_value), count(candidate_value), sum(candidate_value),
         min(candidate_value), max(candidate_value), count(reward), sum(reward), min(reward),
         max(reward)
  FROM added
  GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (target, metric, baseline, worker, hour, stage) DO UPDATE SET
    results = h.results + excluded.results, first_at = least(h.first_at, excluded.first_at),
    last_at = greatest(h.last_at, excluded.last_at),
    target_version = greatest(h.target_version, excluded.target_version),
    baselines = h.baselines + excluded.baselines,
    baseline_sum = CASE WHEN h.baselines + excluded.baselines > 0
                     THEN coalesce(h.baseline_sum, 0) + coalesce(excluded.baseline_sum, 0) END,
    baseline_min = least(h.baseline_min, excluded.baseline_min),
    baseline_max = greatest(h.baseline_max, excluded.baseline_max),
    candidates = h.candidates + excluded.candidates,
    candidate_sum = CASE WHEN h.candidates + excluded.candidates > 0
                      THEN coalesce(h.candidate_sum, 0) + coalesce(excluded.candidate_sum, 0) END,
    candidate_min = least(h.candidate_min, excluded.candidate_min),
    candidate_max = greatest(h.candidate_max, excluded.candidate_max),
    rewards = h.rewards + excluded.rewards,
    reward_sum = CASE WHEN h.rewards + excluded.rewards > 0
                   THEN coalesce(h.reward_sum, 0) + coalesce(excluded.reward_sum, 0) END,
    reward_min = least(h.reward_min, excluded.reward_min),
    reward_max = greatest(h.reward_max, excluded.reward_max)
$$;
COMMENT ON FUNCTION summarise_results IS 'Adds the summaries of these attempts'' results, where they have none. Called when a result is counted';
SELECT summarise_results(array_agg(attempt)) FROM results GROUP BY attempt / 10000;

-- A campaign's counts and its best, of up to 10,000 candidates: without their results' own pages.
CREATE INDEX results_of_job ON results (job) INCLUDE (outcome, reward);

-- What needs attention lies at the end of long tables.
CREATE INDEX results_by_time ON results (created_at);
CREATE INDEX results_failed ON results (created_at) WHERE outcome <> 'ok';
CREATE INDEX jobs_dead ON jobs (finished_at) WHERE state = 'dead';
CREATE INDEX campaigns_ended ON campaigns (target, finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX decisions_fallen_back ON decisions (attempt) WHERE meant AND NOT tuned;
CREATE INDEX self_checks_by_time ON self_checks (worker, checked_at);
CREATE INDEX episodes_of_program ON episodes (program, number);
