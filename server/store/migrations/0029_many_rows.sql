-- Changes of many jobs at once cost no more per job than one change does, and a worker's name belongs to who
-- registered it.

-- A function keeps the plans of its statements, and the first changes in a session are of single jobs: a join of the
-- rows before with the rows after would then be made for one row, and for thousands look at each pair of them. Grouped
-- by their number, they are looked through once, whatever the plan was made for.
CREATE OR REPLACE FUNCTION note_changed_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ready bigint;
  ended bigint;
BEGIN
  WITH changed AS MATERIALIZED (
    SELECT number, max(campaign) AS campaign,
           max(state) FILTER (WHERE is_new) AS state,
           max(state) FILTER (WHERE NOT is_new) AS old_state,
           max(not_before) FILTER (WHERE is_new) AS not_before,
           max(reason) FILTER (WHERE is_new) AS reason
    FROM (SELECT number, campaign, state, not_before, reason, true AS is_new FROM new_rows
          UNION ALL
          SELECT number, campaign, state, not_before, reason, false FROM old_rows) AS both_rows
    GROUP BY number
    HAVING max(state) FILTER (WHERE is_new) <> max(state) FILTER (WHERE NOT is_new)
  ), noted AS (
    INSERT INTO events (kind, job, campaign, state, reason)
      SELECT 'job', c.number, c.campaign, c.state::text,
             CASE WHEN c.state = 'done'
                  THEN (SELECT r.reason FROM results r WHERE r.job = c.number ORDER BY r.job LIMIT 1)
                  ELSE c.reason END
      FROM changed c
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

ALTER TABLE workers ADD COLUMN token bigint REFERENCES tokens,
                    ADD COLUMN freed boolean NOT NULL DEFAULT false;
CREATE INDEX workers_of_token ON workers (token) WHERE token IS NOT NULL;
COMMENT ON COLUMN workers.token IS 'Whose name it is: while that token is good, no other one registers it anew or leases jobs as it. Null: nobody''s yet (registered by an earlier release: whoever asks for jobs as it has it then; or freed by an admin)';
COMMENT ON COLUMN workers.freed IS 'By an admin: whoever registers it next has it, and nobody by asking for jobs';
