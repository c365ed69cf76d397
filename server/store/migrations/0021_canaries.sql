-- Canaries: builds with a policy that serve a share of real traffic, and what their windows told.

CREATE TYPE canary_state AS ENUM ('prepared', 'ramping', 'judged', 'promoted', 'rolled_back', 'aborted');

CREATE TABLE services (
  target bigint PRIMARY KEY REFERENCES targets,
  spec jsonb NOT NULL CONSTRAINT service_is_an_object CHECK (jsonb_typeof(spec) = 'object'),
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by bigint REFERENCES tokens
);
CREATE INDEX services_updated_by ON services (updated_by);
COMMENT ON TABLE services IS 'How Prometheus knows the service that serves a target, its objective and its hard limits';

CREATE TABLE canaries (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL DEFAULT ordered_uuid() CONSTRAINT canary_id_is_unique UNIQUE,
  target bigint NOT NULL REFERENCES targets,
  policy_version integer NOT NULL,
  spec jsonb NOT NULL,
  service jsonb NOT NULL,
  state canary_state NOT NULL DEFAULT 'prepared',
  step integer NOT NULL DEFAULT 0 CONSTRAINT canary_step_is_not_negative CHECK (step >= 0),
  step_windows integer NOT NULL DEFAULT 0,
  lost_windows integer NOT NULL DEFAULT 0,
  share smallint NOT NULL DEFAULT 0 CONSTRAINT canary_share_is_per_cent CHECK (share BETWEEN 0 AND 100),
  reason text NOT NULL DEFAULT '',
  follows boolean NOT NULL DEFAULT false,
  revision bigint NOT NULL DEFAULT 0,
  owner text,
  owner_until timestamptz,
  serving_until timestamptz,
  judgement jsonb,
  budget jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES tokens,
  ended_at timestamptz,
  FOREIGN KEY (target, policy_version) REFERENCES policies (target, version),
  CONSTRAINT canary_end_has_its_time
    CHECK ((state IN ('promoted', 'rolled_back', 'aborted')) = (ended_at IS NOT NULL)),
  CONSTRAINT canary_that_ended_badly_serves_nothing
    CHECK (state NOT IN ('prepared', 'rolled_back', 'aborted') OR share = 0),
  CONSTRAINT canary_serves_all_when_promoted_alone CHECK ((state = 'promoted') = (share = 100))
);
CREATE INDEX canaries_of_policy ON canaries (target, policy_version);
CREATE INDEX canaries_created_by ON canaries (created_by);
CREATE UNIQUE INDEX canary_is_alone_on_its_target ON canaries (target) WHERE ended_at IS NULL;
COMMENT ON TABLE canaries IS 'prepared, ramping step by step, judged, then promoted; or rolled_back, or aborted by somebody. Traffic follows what stands here, never the other way round';
COMMENT ON COLUMN canaries.service IS 'The service as it was described when the canary began: its judgement does not change with a later description';
COMMENT ON COLUMN canaries.share IS 'Per cent of traffic that it may get';
COMMENT ON COLUMN canaries.follows IS 'Whether traffic was last seen to be what it should be';
COMMENT ON COLUMN canaries.revision IS 'Counts changes of state: who writes says which one it read';
COMMENT ON COLUMN canaries.owner IS 'The coordinator that drives it, until owner_until; then any other may';
COMMENT ON COLUMN canaries.serving_until IS 'Its lease on traffic: whoever balances asks, and drains it when this is over';
COMMENT ON COLUMN canaries.judgement IS 'The newest, of all windows so far';
COMMENT ON COLUMN canaries.budget IS 'The service''s error budget when last looked at';

CREATE TABLE canary_windows (
  canary bigint NOT NULL REFERENCES canaries,
  number integer NOT NULL,
  start double precision NOT NULL,
  seconds double precision NOT NULL,
  share smallint NOT NULL,
  baseline jsonb NOT NULL,
  canary_group jsonb NOT NULL,
  PRIMARY KEY (canary, number)
);
COMMENT ON TABLE canary_windows IS 'What both groups did in each window: counts by bucket, or why nothing can be told';
COMMENT ON COLUMN canary_windows.start IS 'Seconds since 1970 by the clock of Prometheus; bounds of buckets stand in the first window';

CREATE TABLE canary_decisions (
  canary bigint NOT NULL REFERENCES canaries,
  number integer NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  state canary_state NOT NULL,
  share smallint NOT NULL,
  windows integer NOT NULL,
  reason text NOT NULL,
  judgement jsonb,
  PRIMARY KEY (canary, number)
);
COMMENT ON TABLE canary_decisions IS 'Every change of a canary''s state or share, with why and what was known then: its trail';

ALTER TABLE experiences ADD COLUMN canary bigint
  CONSTRAINT experience_of_a_canary_is_one UNIQUE REFERENCES canaries;
COMMENT ON COLUMN experiences.canary IS 'Of a production experience: the canary whose delayed reward it is';
