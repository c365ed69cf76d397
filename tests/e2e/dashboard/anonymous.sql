-- Before a dump: nothing of the machine that it was recorded on, no token that could be used.
SET session_replication_role = replica;
BEGIN;
-- A restored coordinator has tokens of its own, with small numbers: the recorded ones go out of their way.
DO $$
DECLARE
  r record;
BEGIN
  FOR r IN
    SELECT c.conrelid::regclass AS tab, a.attname AS col FROM pg_constraint c
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.contype = 'f' AND c.confrelid = 'tokens'::regclass AND c.conrelid <> 'idempotency_keys'::regclass
  LOOP
    EXECUTE format('UPDATE %s SET %I = %I + 1000 WHERE %I IS NOT NULL', r.tab, r.col, r.col, r.col);
  END LOOP;
END $$;
CREATE TEMPORARY TABLE renamed AS SELECT * FROM tokens;
DELETE FROM tokens;
INSERT INTO tokens (number, id, name, role, secret_sha256, created_at, last_used_at, revoked_at)
  OVERRIDING SYSTEM VALUE
  SELECT number + 1000, id, name, role, encode(sha256(gen_random_uuid()::text::bytea), 'hex'), created_at,
         last_used_at, coalesce(revoked_at, now())
  FROM renamed;

UPDATE workers SET machine = machine || '{"host": "staging-1", "cpu_model": "recorded processor", "kernel": "Linux 6.1"}';
UPDATE results SET machine = machine || '{"host": "staging-1", "cpu_model": "recorded processor", "kernel": "Linux 6.1"}';
UPDATE episodes SET machine = machine || '{"host": "staging-1", "cpu_model": "recorded processor", "kernel": "Linux 6.1"}';
UPDATE workers SET name = 'staging-' || number;
-- Where a job was leased twice its reasons name the worker.
UPDATE attempts SET reason = 'the lease ran out' WHERE state = 'expired';
-- The replay buffer is no part of the dashboard, and repeats all of this.
DELETE FROM experiences;
DELETE FROM events;
COMMIT;
