-- What was measured, and the replay buffer over it.

CREATE TABLE results (
  attempt bigint PRIMARY KEY,
  job bigint NOT NULL CONSTRAINT result_is_counted_once_per_job UNIQUE,
  outcome outcome NOT NULL,
  reason text NOT NULL,
  verdict verdict,
  reward double precision,
  reward_low double precision,
  reward_high double precision,
  reward_confidence double precision,
  reward_pairs bigint,
  reward_detectable_effect double precision,
  reward_noise double precision,
  reused_attempt bigint REFERENCES results,
  machine jsonb NOT NULL,
  compiler text NOT NULL,
  plugin_sha256 text NOT NULL,
  launcher_version text NOT NULL,
  linker text NOT NULL,
  build_seconds double precision NOT NULL,
  baseline_build_seconds double precision NOT NULL,
  measure_seconds double precision NOT NULL,
  log text NOT NULL,
  warnings text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (attempt, job) REFERENCES attempts (number, job),
  CONSTRAINT result_is_no_cancellation CHECK (outcome <> 'cancelled'),
  CONSTRAINT result_failure_has_a_reason CHECK (outcome = 'ok' OR reason <> ''),
  CONSTRAINT result_verdict_only_if_ok CHECK (verdict IS NULL OR outcome = 'ok'),
  CONSTRAINT result_reward_only_if_ok CHECK (reward IS NULL OR outcome = 'ok'),
  CONSTRAINT result_reward_is_whole
    CHECK (num_nulls(reward, reward_low, reward_high, reward_confidence, reward_pairs,
                     reward_detectable_effect, reward_noise) IN (0, 7)),
  CONSTRAINT result_interval_holds_the_reward
    CHECK (reward_low <= reward AND reward <= reward_high),
  CONSTRAINT result_reward_is_a_number
    CHECK (reward_low > '-Infinity' AND reward_high < 'Infinity')
);
CREATE INDEX results_reusing ON results (reused_attempt) WHERE reused_attempt IS NOT NULL;
COMMENT ON TABLE results IS 'The one counted result of a job that is done';
COMMENT ON COLUMN results.outcome IS 'How it ended; anything but ok has a reason and never a reward';
COMMENT ON COLUMN results.reward IS 'ln(T_baseline / T_candidate) of the median pair: above 0 is faster. Null if it failed or the binary equals the baseline''s';
COMMENT ON COLUMN results.reward_low IS 'Lower end of the interval, on the logarithmic scale as all of them';
COMMENT ON COLUMN results.reward_confidence IS 'Of the interval, honest after sequential stopping';
COMMENT ON COLUMN results.reward_detectable_effect IS 'The smallest absolute reward that this many pairs would have found';
COMMENT ON COLUMN results.reward_noise IS 'Robust standard deviation of one pair''s log ratio';
COMMENT ON COLUMN results.reused_attempt IS 'The attempt that measured an equal binary, whose samples stand for this result';
COMMENT ON COLUMN results.log IS 'Tail of build and benchmark output';

CREATE TABLE measurements (
  attempt bigint NOT NULL REFERENCES results,
  number integer NOT NULL,
  pair integer NOT NULL,
  block integer NOT NULL,
  layout integer NOT NULL,
  position smallint NOT NULL,
  role sample_role NOT NULL,
  metric metric NOT NULL,
  stage stage NOT NULL,
  baseline baseline_kind NOT NULL,
  value double precision NOT NULL,
  input text NOT NULL,
  PRIMARY KEY (attempt, number),
  CONSTRAINT measurement_position_is_in_its_pair CHECK (position IN (0, 1))
);
COMMENT ON TABLE measurements IS 'Raw samples, one row per run of the benchmark and metric, in the order reported';
COMMENT ON COLUMN measurements.pair IS 'Runs of baseline and candidate that stood side by side, from 0';
COMMENT ON COLUMN measurements.position IS '0: ran first of its pair, 1: second';
COMMENT ON COLUMN measurements.block IS 'Group of four pairs, two in each order';
COMMENT ON COLUMN measurements.layout IS 'Which of several links of the same objects ran';
COMMENT ON COLUMN measurements.value IS 'Seconds, bytes, or the number that the benchmark printed';
COMMENT ON COLUMN measurements.stage IS 'That of the job, so that samples can be read by themselves; likewise baseline';

CREATE TABLE binaries (
  attempt bigint NOT NULL REFERENCES results,
  role sample_role NOT NULL,
  number integer NOT NULL,
  path text NOT NULL,
  sha256 text NOT NULL,
  size_bytes bigint NOT NULL,
  text_bytes bigint NOT NULL,
  PRIMARY KEY (attempt, role, number)
);
COMMENT ON TABLE binaries IS 'The files that an attempt built and measured';
COMMENT ON COLUMN binaries.text_bytes IS 'Of the .text section; 0 if it is no ELF file';

CREATE TABLE states (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state_id sha256 NOT NULL CONSTRAINT state_id_is_unique UNIQUE,
  features jsonb,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE states IS 'Modules as the optimiser first sees them, each stored once';
COMMENT ON COLUMN states.state_id IS 'SHA-256 of the module''s unoptimised bitcode';
COMMENT ON COLUMN states.features IS 'Null until they were computed';

CREATE TABLE decisions (
  attempt bigint NOT NULL REFERENCES results,
  number integer NOT NULL,
  source text NOT NULL,
  output text NOT NULL,
  state bigint REFERENCES states,
  pipeline_hash text NOT NULL,
  tuned boolean NOT NULL,
  meant boolean NOT NULL,
  reason text NOT NULL,
  log_propensity double precision,
  PRIMARY KEY (attempt, number)
);
CREATE INDEX decisions_on_state ON decisions (state) WHERE state IS NOT NULL;
COMMENT ON TABLE decisions IS 'What took effect for each object of a candidate''s build; not what was asked for';
COMMENT ON COLUMN decisions.meant IS 'A rule wanted it tuned; meant and not tuned has a reason';
COMMENT ON COLUMN decisions.state IS 'Null if the compile reported none';

CREATE TABLE experiences (
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  number bigint GENERATED ALWAYS AS IDENTITY,
  id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT experience_id_is_unique UNIQUE,
  source experience_source NOT NULL,
  attempt bigint REFERENCES results CONSTRAINT experience_of_an_attempt_is_one UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (transaction, number),
  CONSTRAINT experience_of_staging_has_an_attempt CHECK (source <> 'staging' OR attempt IS NOT NULL)
);
COMMENT ON TABLE experiences IS 'The replay buffer, in the order in which it is read';
COMMENT ON COLUMN experiences.transaction IS 'The transaction that wrote the row. Readers stop before the oldest one that still runs, so that a late commit is never skipped. Transaction numbers are the cluster''s own: after a dump is restored elsewhere they must be set to 3 (and old cursors be dropped), or rows hide until the new cluster has counted that far';
