-- The queue at any size: what a claim reads lies in one narrow index over the jobs that are ready, whatever was
-- finished before. Retries that wait, deadlines, what a target requires of a worker, and counts that are kept.

-- Keys that follow time: their index is appended to at one end. Random ones touch a page of their own for each row,
-- which costs more the longer the history is.
CREATE FUNCTION ordered_uuid() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
  RETURN encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
              FROM 1 FOR 6),
      52, 1), 53, 1), 'hex')::uuid;
COMMENT ON FUNCTION ordered_uuid IS 'A UUID of version 7: milliseconds since 1970, then 74 random bits';
ALTER TABLE jobs ALTER COLUMN id SET DEFAULT ordered_uuid();
ALTER TABLE attempts ALTER COLUMN id SET DEFAULT ordered_uuid();
ALTER TABLE experiences ALTER COLUMN id SET DEFAULT ordered_uuid();

ALTER TABLE jobs ADD COLUMN not_before timestamptz, ADD COLUMN deadline timestamptz;
COMMENT ON COLUMN jobs.not_before IS 'Of a queued job that failed: when it is tried again; a sweep then makes it null. Null: at once';
COMMENT ON COLUMN jobs.deadline IS 'Queued past it, the job is dead; leased past it, its worker is told to stop. Null: none';

-- A strand is what one kind of worker may or may not measure: jobs of one priority, lane, target and version.
CREATE INDEX jobs_ready ON jobs ((-priority), lane, target, target_version, number)
  WHERE state = 'queued' AND not_before IS NULL;
-- The release before: its claims then read the whole table, which costs them time and nothing else. With millions of
-- jobs behind it, stop the old honeds soon after the first new one. Kept, the index would mislead the new claims.
DROP INDEX jobs_queue;
CREATE INDEX jobs_waiting ON jobs (not_before) WHERE state = 'queued' AND not_before IS NOT NULL;
CREATE INDEX jobs_with_deadline ON jobs (deadline)
  WHERE deadline IS NOT NULL AND state IN ('queued', 'leased');
CREATE INDEX jobs_dead_by_number ON jobs (number) WHERE state = 'dead';
-- A claim passes over the index entries that died since the last vacuum. So that these are as few with ten million
-- rows as with a thousand, the threshold is a number and no share of the table.
ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
ALTER TABLE attempts SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
ALTER TABLE workers SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
                         autovacuum_vacuum_cost_delay = 0);
ALTER TABLE idempotency_keys SET (autovacuum_vacuum_scale_factor = 0.05);

-- What targets require of a worker. Few, however many versions of targets there are, so that a worker's row can say
-- which of them it meets.
CREATE TABLE requirements (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  requires jsonb NOT NULL CONSTRAINT requirement_is_unique UNIQUE
    CONSTRAINT requirement_is_an_object CHECK (jsonb_typeof(requires) = 'object')
);
COMMENT ON TABLE requirements IS 'Distinct "requires" of target versions: labels, cpu, llvm, memory_mib';

ALTER TABLE target_versions ADD COLUMN requirement bigint REFERENCES requirements;
COMMENT ON COLUMN target_versions.requirement IS 'Of its spec; null: any worker will do. Set by a trigger';
CREATE INDEX target_versions_requiring ON target_versions (requirement) WHERE requirement IS NOT NULL;

ALTER TABLE workers
  ADD COLUMN llvm integer[] NOT NULL DEFAULT '{}',
  ADD COLUMN meets bigint[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN workers.llvm IS 'Major versions of LLVM whose compiles it can tune';
COMMENT ON COLUMN workers.meets IS 'Numbers of the requirements that it meets, ascending. Set by triggers';

CREATE FUNCTION meets_labels(labels jsonb, requires jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN labels @> coalesce(requires -> 'labels', '{}');
CREATE FUNCTION meets_cpu(machine jsonb, requires jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN requires ->> 'cpu' IS NULL
         OR strpos(lower(coalesce(machine ->> 'cpu_model', '')), lower(requires ->> 'cpu')) > 0;
CREATE FUNCTION meets_llvm(llvm integer[], requires jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN requires -> 'llvm' IS NULL
         OR llvm @> ARRAY(SELECT major::integer FROM jsonb_array_elements_text(requires -> 'llvm') AS major);
CREATE FUNCTION meets_memory(machine jsonb, requires jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce((machine ->> 'memory_mib')::bigint, 0) >= coalesce((requires ->> 'memory_mib')::bigint, 0);

CREATE FUNCTION met_requirements(labels jsonb, machine jsonb, llvm integer[]) RETURNS bigint[] LANGUAGE sql STABLE
  RETURN ARRAY(
    SELECT r.number FROM requirements r
    WHERE meets_labels($1, r.requires) AND meets_cpu($2, r.requires) AND meets_llvm($3, r.requires)
      AND meets_memory($2, r.requires)
    ORDER BY r.number);
COMMENT ON FUNCTION met_requirements IS 'What a worker with these meets';

-- A new requirement and a worker that registers at the same time: whoever comes second sees the other (the lock's
-- key is "requ" in ASCII).
CREATE FUNCTION note_worker() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1919250805);
  NEW.meets := met_requirements(NEW.labels, NEW.machine, NEW.llvm);
  RETURN NEW;
END $$;
CREATE TRIGGER note_worker BEFORE INSERT OR UPDATE OF labels, machine, llvm ON workers
  FOR EACH ROW EXECUTE FUNCTION note_worker();

CREATE FUNCTION note_requirement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(jsonb_typeof(NEW.spec -> 'requires'), 'null') = 'null' THEN
    RETURN NEW;
  END IF;
  SELECT number INTO NEW.requirement FROM requirements WHERE requires = NEW.spec -> 'requires';
  IF NOT FOUND THEN
    PERFORM pg_advisory_xact_lock(1919250805);
    INSERT INTO requirements (requires) VALUES (NEW.spec -> 'requires') ON CONFLICT DO NOTHING;
    SELECT number INTO NEW.requirement FROM requirements WHERE requires = NEW.spec -> 'requires';
    UPDATE workers SET meets = met_requirements(labels, machine, llvm);
    PERFORM pg_notify('hone_workers', '');
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER note_requirement BEFORE INSERT ON target_versions
  FOR EACH ROW EXECUTE FUNCTION note_requirement();

CREATE INDEX worker_fitness_unfit ON worker_fitness (worker) WHERE unfit_reason IS NOT NULL;

-- How many jobs are in each state, without looking at them. Each change of state adds a row, so that changes at the
-- same time do not wait for each other; a sweep adds the rows up.
CREATE TABLE job_counts (
  state job_state PRIMARY KEY,
  count bigint NOT NULL
);
COMMENT ON TABLE job_counts IS 'Jobs in each state, but for what job_count_changes says since';
CREATE TABLE job_count_changes (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state job_state NOT NULL,
  change bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE job_count_changes IS 'What is to be added to job_counts';
INSERT INTO job_counts (state, count)
  SELECT s.state, count(j.number)
  FROM unnest(enum_range(NULL::job_state)) AS s (state) LEFT JOIN jobs j ON j.state = s.state
  GROUP BY s.state;

CREATE FUNCTION count_jobs(wanted job_state) RETURNS bigint LANGUAGE sql STABLE
  RETURN (SELECT c.count FROM job_counts c WHERE c.state = wanted)
         + coalesce((SELECT sum(d.change) FROM job_count_changes d WHERE d.state = wanted), 0)::bigint;
COMMENT ON FUNCTION count_jobs IS 'How many jobs are in the state';

CREATE FUNCTION fold_job_counts() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM job_counts ORDER BY state FOR UPDATE;
  WITH gone AS (
    DELETE FROM job_count_changes RETURNING state, change
  )
  UPDATE job_counts c SET count = c.count + added.change
  FROM (SELECT state, sum(change) AS change FROM gone GROUP BY state) AS added
  WHERE added.state = c.state;
END $$;
COMMENT ON FUNCTION fold_job_counts IS 'Adds job_count_changes to job_counts. Two at once wait for each other';

CREATE OR REPLACE FUNCTION note_new_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (kind, job, campaign, state, reason)
    SELECT 'job', number, campaign, state::text, reason FROM new_rows ORDER BY number;
  IF FOUND THEN
    INSERT INTO job_count_changes (state, change)
      SELECT state, count(*) FROM new_rows GROUP BY state;
    PERFORM pg_notify('hone_queue', ''), pg_notify('hone_events', '');
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_changed_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ready bigint;
  ended bigint;
BEGIN
  WITH changed AS (
    SELECT n.number, n.campaign, n.state, o.state AS old_state, n.not_before, n.reason
    FROM new_rows n JOIN old_rows o USING (number)
    WHERE n.state <> o.state
  ), noted AS (
    INSERT INTO events (kind, job, campaign, state, reason)
      SELECT 'job', c.number, c.campaign, c.state::text,
             CASE WHEN c.state = 'done' THEN r.reason ELSE c.reason END
      FROM changed c
      LEFT JOIN results r ON r.job = c.number AND c.state = 'done'
      ORDER BY c.number
  ), counted AS (
    INSERT INTO job_count_changes (state, change)
      SELECT state, sum(change)
      FROM (SELECT state, 1 AS change FROM changed
            UNION ALL SELECT old_state, -1 FROM changed) AS both_ends
      GROUP BY state HAVING sum(change) <> 0
  )
  SELECT count(*) FILTER (WHERE state = 'queued' AND not_before IS NULL),
         count(*) FILTER (WHERE state IN ('done', 'dead', 'cancelled') AND campaign IS NOT NULL)
    INTO ready, ended FROM changed HAVING count(*) > 0;
  IF FOUND THEN
    PERFORM pg_notify('hone_events', '');
    IF ready > 0 THEN
      PERFORM pg_notify('hone_queue', '');
    END IF;
    IF ended > 0 THEN
      PERFORM pg_notify('hone_campaigns', '');
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION note_removed_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO job_count_changes (state, change)
    SELECT state, -count(*) FROM old_rows GROUP BY state;
  RETURN NULL;
END $$;
CREATE TRIGGER note_removed_jobs AFTER DELETE ON jobs
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_removed_jobs();
