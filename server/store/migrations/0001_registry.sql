-- What is registered: tokens, artifacts, targets, workers; and the closed sets of values, spelled as on
-- the wire (common/protocol/values.h; a test compares the two).

CREATE TYPE outcome AS ENUM (
  'ok', 'fetch_failed', 'baseline_failed', 'build_failed', 'compiler_crashed', 'timed_out',
  'limit_exceeded', 'miscompiled', 'benchmark_failed', 'nondeterministic', 'no_data',
  'insufficient_traffic', 'cancelled');
CREATE TYPE verdict AS ENUM (
  'faster', 'slower', 'no_change', 'within_noise', 'inconclusive', 'too_noisy');
CREATE TYPE stage AS ENUM ('race', 'confirm');
CREATE TYPE baseline_kind AS ENUM ('own', 'O3', 'Oz');
CREATE TYPE experience_source AS ENUM ('staging', 'production', 'session');
CREATE TYPE job_state AS ENUM ('queued', 'leased', 'done', 'dead', 'cancelled');
CREATE TYPE attempt_state AS ENUM ('leased', 'completed', 'failed', 'expired', 'cancelled');
CREATE TYPE campaign_state AS ENUM (
  'waiting', 'racing', 'confirming', 'finished', 'cancelled', 'failed');
CREATE TYPE token_role AS ENUM ('viewer', 'submitter', 'worker', 'learner', 'admin');
CREATE TYPE metric AS ENUM ('cpu_time', 'wall_time', 'printed', 'peak_rss_bytes');
CREATE TYPE sample_role AS ENUM ('baseline', 'candidate');

CREATE DOMAIN sha256 AS text CONSTRAINT sha256_is_hexadecimal CHECK (VALUE ~ '^[0-9a-f]{64}$');
CREATE DOMAIN short_name AS text
  CONSTRAINT short_name_is_valid CHECK (VALUE ~ '^[a-z0-9][a-z0-9._-]{0,62}$');

CREATE FUNCTION rfc3339(moment timestamptz) RETURNS text
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
COMMENT ON FUNCTION rfc3339 IS 'A time as the API shows it: UTC, to a millisecond';

-- Every record that the API names has two keys: `number`, which other tables refer to and which gives the
-- order of creation, and `id`, a random UUID, which is all that the outside sees.

CREATE TABLE tokens (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT token_id_is_unique UNIQUE,
  name short_name NOT NULL,
  role token_role NOT NULL,
  secret_sha256 sha256 NOT NULL CONSTRAINT token_secret_is_unique UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
CREATE UNIQUE INDEX tokens_name_in_use ON tokens (name) WHERE revoked_at IS NULL;
COMMENT ON TABLE tokens IS 'Access tokens. A revoked one stays, since other records name it as their creator';
COMMENT ON COLUMN tokens.secret_sha256 IS 'SHA-256 of the token; the token itself is stored nowhere. It holds 256 random bits, so a slow hash would add nothing';
COMMENT ON COLUMN tokens.last_used_at IS 'To a minute: it is written only when the stored time is older than that';

CREATE TABLE artifacts (
  sha256 sha256 PRIMARY KEY,
  size_bytes bigint NOT NULL CONSTRAINT artifact_size_is_not_negative CHECK (size_bytes >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES tokens
);
COMMENT ON TABLE artifacts IS 'Uploaded files that are completely there; their content lies in the artifact folder';

CREATE TABLE targets (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name short_name NOT NULL CONSTRAINT target_name_is_unique UNIQUE,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE targets IS 'Products that can be tuned';
COMMENT ON COLUMN targets.version IS 'The newest version; 0 only inside the transaction that makes the first';

CREATE TABLE target_versions (
  target bigint NOT NULL REFERENCES targets,
  version integer NOT NULL CONSTRAINT target_version_is_positive CHECK (version > 0),
  spec jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES tokens,
  PRIMARY KEY (target, version)
);
COMMENT ON TABLE target_versions IS 'What hone.yaml said at each registration. Never changed: campaigns and jobs refer to a version';

CREATE TABLE workers (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name short_name NOT NULL CONSTRAINT worker_name_is_unique UNIQUE,
  machine jsonb NOT NULL,
  labels jsonb NOT NULL,
  slots integer NOT NULL CONSTRAINT worker_slots_are_positive CHECK (slots > 0),
  version text NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
COMMENT ON TABLE workers IS 'Staging workers as they registered themselves';
COMMENT ON COLUMN workers.last_seen_at IS 'Last registration, claim or heartbeat, to a few seconds';
COMMENT ON COLUMN workers.slots IS 'How many jobs it runs at once';

CREATE TABLE idempotency_keys (
  token bigint NOT NULL REFERENCES tokens,
  operation text NOT NULL,
  key text NOT NULL,
  body_sha256 sha256 NOT NULL,
  answer jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (token, operation, key)
);
COMMENT ON TABLE idempotency_keys IS 'Requests that must count once, with the answer given then. Removed after a day';
COMMENT ON COLUMN idempotency_keys.answer IS 'Null only inside the transaction that does the work';
