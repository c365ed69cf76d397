-- What workers' measurements are worth: comparisons of a baseline with itself.

CREATE TABLE self_checks (
  attempt bigint PRIMARY KEY REFERENCES results,
  worker bigint NOT NULL REFERENCES workers,
  target bigint NOT NULL,
  target_version integer NOT NULL,
  verdict verdict NOT NULL,
  reward double precision NOT NULL,
  reward_low double precision NOT NULL,
  reward_high double precision NOT NULL,
  reward_confidence double precision NOT NULL,
  reward_pairs bigint NOT NULL,
  reward_detectable_effect double precision NOT NULL,
  reward_noise double precision NOT NULL,
  baseline_value double precision NOT NULL,
  checked_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (target, target_version) REFERENCES target_versions (target, version),
  CONSTRAINT self_check_interval_holds_the_reward
    CHECK (reward_low <= reward AND reward <= reward_high),
  CONSTRAINT self_check_baseline_is_above_zero
    CHECK (baseline_value > 0 AND baseline_value < 'Infinity')
);
CREATE INDEX self_checks_of_a_worker ON self_checks (worker, target, target_version, checked_at);
COMMENT ON TABLE self_checks IS 'Comparisons of a baseline with itself, made before a job''s own';
COMMENT ON COLUMN self_checks.verdict IS 'faster and slower are false calls';
COMMENT ON COLUMN self_checks.baseline_value IS 'Median of the metric over all runs: shows drift';

-- The last check of each worker and target, and what follows from it.
CREATE TABLE worker_fitness (
  worker bigint NOT NULL REFERENCES workers,
  target bigint NOT NULL,
  target_version integer NOT NULL,
  self_check bigint NOT NULL REFERENCES self_checks,
  checked_at timestamptz NOT NULL,
  bad_in_a_row bigint NOT NULL CONSTRAINT fitness_counts_from_zero CHECK (bad_in_a_row >= 0),
  drift double precision,
  unfit_reason text CONSTRAINT fitness_reason_is_one CHECK (unfit_reason <> ''),
  PRIMARY KEY (worker, target, target_version),
  FOREIGN KEY (target, target_version) REFERENCES target_versions (target, version)
) WITH (fillfactor = 70);
CREATE INDEX worker_fitness_of_a_target ON worker_fitness (target, target_version);
COMMENT ON TABLE worker_fitness IS 'Whether a worker may measure a target, by its self-checks';
COMMENT ON COLUMN worker_fitness.bad_in_a_row IS 'Checks in a row, up to the last, that were false calls or too noisy';
COMMENT ON COLUMN worker_fitness.drift IS 'ln(baseline_value / that of the check before)';
COMMENT ON COLUMN worker_fitness.unfit_reason IS 'Why it gets no job of this target for a while';
