-- Before a round of queue_flat.sh: leases end as done, and at least so many jobs wait. Variable: queued.
BEGIN;
SET LOCAL session_replication_role = replica;
UPDATE attempts SET state = 'completed', completion_sha256 = repeat('ab', 32), ended_at = now()
  WHERE state = 'leased';
UPDATE jobs SET state = 'done', finished_at = now() WHERE state = 'leased';
INSERT INTO jobs (target, target_version, stage, baseline, priority, max_attempts, rules)
  SELECT 1, 1, 'race', 'O3', 0, 3, '[{"source": "*", "pipeline": "default<O3>"}]'
  FROM generate_series(1, :queued - (SELECT count(*) FROM jobs WHERE state = 'queued'));
COMMIT;
