-- The search (campaigns, candidate sets, candidates) and the queue (jobs, attempts).

CREATE TABLE campaigns (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT campaign_id_is_unique UNIQUE,
  target bigint NOT NULL REFERENCES targets,
  target_version integer NOT NULL,
  state campaign_state NOT NULL DEFAULT 'waiting',
  reason text NOT NULL DEFAULT '',
  baseline baseline_kind NOT NULL,
  seed numeric(20, 0) NOT NULL,
  priority smallint NOT NULL,
  budget_candidates integer,
  budget_seconds integer,
  winner bigint,
  policy_version integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES tokens,
  racing_at timestamptz,
  confirming_at timestamptz,
  finished_at timestamptz,
  FOREIGN KEY (target, target_version) REFERENCES target_versions,
  CONSTRAINT campaign_has_a_budget CHECK (num_nonnulls(budget_candidates, budget_seconds) > 0),
  CONSTRAINT campaign_budget_is_positive CHECK (budget_candidates > 0 AND budget_seconds > 0),
  CONSTRAINT campaign_seed_fits_64_bits CHECK (seed BETWEEN 0 AND 18446744073709551615),
  CONSTRAINT campaign_waiting_has_not_raced CHECK (state <> 'waiting' OR racing_at IS NULL),
  CONSTRAINT campaign_racing_has_raced
    CHECK (state NOT IN ('racing', 'confirming', 'finished') OR racing_at IS NOT NULL),
  CONSTRAINT campaign_confirming_has_its_time
    CHECK (state <> 'confirming' OR confirming_at IS NOT NULL),
  CONSTRAINT campaign_end_has_its_time
    CHECK ((state IN ('finished', 'cancelled', 'failed')) = (finished_at IS NOT NULL)),
  CONSTRAINT campaign_failure_has_a_reason
    CHECK (state NOT IN ('cancelled', 'failed') OR reason <> ''),
  CONSTRAINT campaign_winner_is_of_a_finished_one CHECK (winner IS NULL OR state = 'finished'),
  CONSTRAINT campaign_winner_has_a_policy CHECK ((winner IS NULL) = (policy_version IS NULL))
);
CREATE INDEX campaigns_of_target ON campaigns (target, number);
CREATE INDEX campaigns_running ON campaigns (number) WHERE state IN ('racing', 'confirming');
COMMENT ON TABLE campaigns IS 'Budgeted searches over one target: waiting (no candidate set yet), racing, confirming, then finished, cancelled or failed';
COMMENT ON COLUMN campaigns.reason IS 'Why it failed, was cancelled or ended without a winner, for people';
COMMENT ON COLUMN campaigns.budget_seconds IS 'Counted from racing_at, the arrival of the first candidate set';
COMMENT ON COLUMN campaigns.winner IS 'Candidate whose gain a confirm job showed on fresh measurements';
COMMENT ON COLUMN campaigns.policy_version IS 'Of the target''s policies: the one published for the winner';

CREATE TABLE candidate_sets (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT candidate_set_id_is_unique UNIQUE,
  campaign bigint NOT NULL REFERENCES campaigns,
  generator text NOT NULL,
  scheme text NOT NULL,
  seed numeric(20, 0) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT candidate_set_seed_fits_64_bits CHECK (seed BETWEEN 0 AND 18446744073709551615),
  CONSTRAINT candidate_set_is_of_its_campaign UNIQUE (number, campaign)
);
CREATE INDEX candidate_sets_of_campaign ON candidate_sets (campaign, number);
COMMENT ON TABLE candidate_sets IS 'What a proposer chose from: logged before anything is measured, so that propensities are exact or absent';
COMMENT ON COLUMN candidate_sets.scheme IS 'Formula of the propensities, in words';

CREATE TABLE candidates (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT candidate_id_is_unique UNIQUE,
  set bigint NOT NULL,
  campaign bigint NOT NULL,
  index integer NOT NULL CONSTRAINT candidate_index_is_not_negative CHECK (index >= 0),
  origin text NOT NULL,
  note text NOT NULL,
  log_propensity double precision,
  rules jsonb NOT NULL,
  FOREIGN KEY (set, campaign) REFERENCES candidate_sets (number, campaign),
  CONSTRAINT candidate_index_is_unique_in_its_set UNIQUE (set, index),
  CONSTRAINT candidate_is_of_its_campaign UNIQUE (number, campaign),
  -- The little above 0 is rounding of the proposer's sum of logarithms.
  CONSTRAINT candidate_propensity_is_a_probability CHECK (log_propensity <= 1e-9)
);
CREATE INDEX candidates_of_campaign ON candidates (campaign, number);
COMMENT ON TABLE candidates IS 'Decisions per source file that may make the target faster';
COMMENT ON COLUMN candidates.campaign IS 'That of its set, repeated so that one index gives a campaign''s candidates';
COMMENT ON COLUMN candidates.log_propensity IS 'Natural logarithm of the probability of being chosen from the set; null: not known';

ALTER TABLE campaigns
  ADD CONSTRAINT campaign_winner_is_its_candidate
  FOREIGN KEY (winner, number) REFERENCES candidates (number, campaign);

CREATE TABLE jobs (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT job_id_is_unique UNIQUE,
  target bigint NOT NULL,
  target_version integer NOT NULL,
  campaign bigint,
  candidate bigint,
  lane bigint NOT NULL GENERATED ALWAYS AS (coalesce(campaign, 0)) STORED,
  stage stage NOT NULL,
  baseline baseline_kind NOT NULL,
  priority smallint NOT NULL CONSTRAINT job_priority_is_in_range CHECK (priority BETWEEN -100 AND 100),
  max_attempts smallint NOT NULL CONSTRAINT job_may_be_tried CHECK (max_attempts > 0),
  rules jsonb,
  note text NOT NULL DEFAULT '',
  state job_state NOT NULL DEFAULT 'queued',
  reason text NOT NULL DEFAULT '',
  attempts_made integer NOT NULL DEFAULT 0,
  attempts_counted integer NOT NULL DEFAULT 0,
  attempt bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES tokens,
  cancel_requested_at timestamptz,
  finished_at timestamptz,
  FOREIGN KEY (target, target_version) REFERENCES target_versions,
  FOREIGN KEY (candidate, campaign) REFERENCES candidates (number, campaign),
  CONSTRAINT job_of_a_campaign_has_a_candidate CHECK ((campaign IS NULL) = (candidate IS NULL)),
  CONSTRAINT job_has_rules_or_a_candidate CHECK ((candidate IS NULL) = (rules IS NOT NULL)),
  CONSTRAINT job_attempts_are_consistent
    CHECK (attempts_counted BETWEEN 0 AND attempts_made AND attempts_counted <= max_attempts),
  CONSTRAINT job_lease_has_an_attempt
    CHECK (state NOT IN ('leased', 'done') OR attempt IS NOT NULL),
  CONSTRAINT job_end_has_its_time
    CHECK ((state IN ('done', 'dead', 'cancelled')) = (finished_at IS NOT NULL)),
  CONSTRAINT job_without_a_result_has_a_reason
    CHECK (state NOT IN ('dead', 'cancelled') OR reason <> '')
) WITH (
  fillfactor = 70,
  -- The head of the queue's index is where all claims look. Its dead entries cost every claim until
  -- they are vacuumed, so that happens early and at full speed.
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 200,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 0);
CREATE INDEX jobs_queue ON jobs ((-priority), lane, number) WHERE state = 'queued';
CREATE INDEX jobs_leased ON jobs (lane) WHERE state = 'leased';
CREATE UNIQUE INDEX jobs_one_per_candidate_and_stage ON jobs (candidate, stage)
  WHERE candidate IS NOT NULL;
CREATE INDEX jobs_of_campaign ON jobs (campaign, number) WHERE campaign IS NOT NULL;
CREATE INDEX jobs_of_target ON jobs (target, number);
COMMENT ON TABLE jobs IS 'Measure one candidate of one target against its baseline: queued, leased, then done (one counted result), dead (attempts used up) or cancelled';
COMMENT ON COLUMN jobs.lane IS 'Whom the queue is fair between: the campaign, or 0 for all jobs submitted by hand';
COMMENT ON COLUMN jobs.rules IS 'Of a job submitted by hand; a candidate''s job has its candidate''s rules';
COMMENT ON COLUMN jobs.reason IS 'Why it is dead or was cancelled; the reason of a done job is its result''s';
COMMENT ON COLUMN jobs.attempts_made IS 'Leases ever given; the newest attempt''s ordinal';
COMMENT ON COLUMN jobs.attempts_counted IS 'Those held against max_attempts: all but clean hand-backs';
COMMENT ON COLUMN jobs.attempt IS 'The newest attempt: the lease, or the one whose result counts';
COMMENT ON COLUMN jobs.cancel_requested_at IS 'Somebody cancelled it while it was leased; the worker is told by its next heartbeat';

CREATE TABLE attempts (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT attempt_id_is_unique UNIQUE,
  job bigint NOT NULL REFERENCES jobs,
  lane bigint NOT NULL,
  ordinal integer NOT NULL CONSTRAINT attempt_ordinal_is_positive CHECK (ordinal > 0),
  worker bigint NOT NULL REFERENCES workers,
  token bigint NOT NULL REFERENCES tokens,
  state attempt_state NOT NULL DEFAULT 'leased',
  reason text NOT NULL DEFAULT '',
  seed bigint NOT NULL,
  leased_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  completion_sha256 sha256,
  CONSTRAINT attempt_ordinal_is_unique_in_its_job UNIQUE (job, ordinal),
  CONSTRAINT attempt_is_of_its_job UNIQUE (number, job),
  CONSTRAINT attempt_end_has_its_time CHECK ((state = 'leased') = (ended_at IS NULL)),
  CONSTRAINT attempt_completion_has_its_body
    CHECK (state <> 'completed' OR completion_sha256 IS NOT NULL),
  CONSTRAINT attempt_failure_has_a_reason CHECK (state NOT IN ('failed', 'expired') OR reason <> '')
) WITH (
  -- Room for heartbeats, which change no indexed column, on the row's own page.
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX attempts_one_lease_per_job ON attempts (job) WHERE state = 'leased';
CREATE INDEX attempts_leased_by_worker ON attempts (worker) WHERE state = 'leased';
CREATE INDEX attempts_of_lane ON attempts (lane, number);
ALTER TABLE jobs
  ADD CONSTRAINT job_attempt_is_its_own
  FOREIGN KEY (attempt, number) REFERENCES attempts (number, job);
COMMENT ON TABLE attempts IS 'Leases: a worker''s tries at a job';
COMMENT ON COLUMN attempts.lane IS 'That of its job, so that the queue finds the lane served longest ago';
COMMENT ON COLUMN attempts.token IS 'Who may send heartbeats and the result';
COMMENT ON COLUMN attempts.seed IS 'For the order of pairs; fresh for every attempt';
COMMENT ON COLUMN attempts.expires_at IS 'When a sweep may end it; it is a lease until one does';
COMMENT ON COLUMN attempts.completion_sha256 IS 'Of the body that completed it, so that sending it again is no second result';
