-- After a restore: every time moved on, so that the newest is a minute ago and what was recorded looks like today's.
-- Variables: none. Columns of the type timestamptz alone are times here.
SET session_replication_role = replica;
DO $$
DECLARE
  r record;
  moved interval;
BEGIN
  SELECT now() - interval '1 minute' - max(t) INTO moved
  FROM (SELECT max(last_seen_at) FROM workers UNION ALL SELECT max(created_at) FROM results) AS newest (t);
  FOR r IN
    SELECT table_name AS tab, string_agg(format('%1$I = %1$I + $1', column_name), ', ') AS moves
    FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND data_type = 'timestamp with time zone'
      AND table_name NOT IN ('schema_migrations', 'tokens')
    GROUP BY table_name
  LOOP
    EXECUTE format('UPDATE %I SET %s', r.tab, r.moves) USING moved;
  END LOOP;
END $$;
