-- A queue after a long time, for queue_flat.sh: variables
--   finished  jobs that are done, each with an attempt, a result and an experience
--   queued    jobs that wait
-- Written past triggers and foreign keys, in the order in which it would have come; counts are set by hand.
SET session_replication_role = replica;
SET synchronous_commit = off;
SET maintenance_work_mem = '512MB';

-- Indexes that no constraint needs are made anew behind the rows: that takes a third of the time.
CREATE TEMPORARY TABLE dropped AS
  SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i
  WHERE i.indrelid IN ('jobs'::regclass, 'attempts'::regclass, 'results'::regclass)
    AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid);
SELECT 'DROP INDEX ' || name FROM dropped \gexec

INSERT INTO jobs (target, target_version, stage, baseline, priority, max_attempts, rules, state, attempts_made,
                  attempts_counted, attempt, created_at, finished_at)
  SELECT 1, 1, 'race', 'O3', 0, 3, '[{"source": "*", "pipeline": "default<O3>"}]', 'done', 1, 1, i,
         now() - (:finished - i) * interval '3 seconds', now() - (:finished - i) * interval '3 seconds'
  FROM generate_series(1, :finished) AS i;
INSERT INTO attempts (job, lane, ordinal, worker, token, state, seed, leased_at, expires_at, ended_at,
                      completion_sha256)
  SELECT i, 0, 1, 1 + i % 16, 1, 'completed', i, now() - (:finished - i) * interval '3 seconds',
         now() - (:finished - i) * interval '3 seconds', now() - (:finished - i) * interval '3 seconds',
         repeat('ab', 32)
  FROM generate_series(1, :finished) AS i;
INSERT INTO results (attempt, job, outcome, reason, machine, compiler, plugin_sha256, launcher_version, linker,
                     build_seconds, baseline_build_seconds, measure_seconds, log, warnings, created_at)
  SELECT i, i, 'ok', '', '{"host": "load"}', 'clang 19', '', '0.1.0', 'lld', 1.5, 0, 20.5, '', '{}',
         now() - (:finished - i) * interval '3 seconds'
  FROM generate_series(1, :finished) AS i;
INSERT INTO jobs (target, target_version, stage, baseline, priority, max_attempts, rules)
  SELECT 1, 1, 'race', 'O3', 0, 3, '[{"source": "*", "pipeline": "default<O3>"}]'
  FROM generate_series(1, :queued);

SELECT definition FROM dropped \gexec

DELETE FROM job_count_changes;
UPDATE job_counts c SET count = (SELECT count(*) FROM jobs j WHERE j.state = c.state);
SET synchronous_commit = on;
VACUUM ANALYZE;
CHECKPOINT;
