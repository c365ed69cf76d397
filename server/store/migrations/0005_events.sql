-- Changes of state. Triggers write them, so that none can be forgotten and each stands or falls with
-- the transaction that made the change. Notifications go out when that commits; one transaction sends each
-- at most once.

CREATE TYPE event_kind AS ENUM ('job', 'campaign');

CREATE TABLE events (
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  number bigint GENERATED ALWAYS AS IDENTITY,
  kind event_kind NOT NULL,
  job bigint REFERENCES jobs,
  campaign bigint REFERENCES campaigns,
  state text NOT NULL,
  reason text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (transaction, number),
  CONSTRAINT event_is_of_its_kind CHECK ((kind = 'job') = (job IS NOT NULL)),
  CONSTRAINT event_of_a_campaign_names_it CHECK (kind <> 'campaign' OR campaign IS NOT NULL)
);
CREATE INDEX events_of_job ON events (job, transaction, number) WHERE job IS NOT NULL;
CREATE INDEX events_of_campaign ON events (campaign, transaction, number)
  WHERE campaign IS NOT NULL;
CREATE INDEX events_by_time ON events USING brin (at);
COMMENT ON TABLE events IS 'What the event stream sends, in order; removed after some days';
COMMENT ON COLUMN events.transaction IS 'As in experiences: what readers'' cursors are made of';
COMMENT ON COLUMN events.campaign IS 'Also set for the jobs of a campaign';

CREATE FUNCTION note_new_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (kind, job, campaign, state, reason)
    SELECT 'job', number, campaign, state::text, reason FROM new_rows ORDER BY number;
  IF FOUND THEN
    PERFORM pg_notify('hone_queue', ''), pg_notify('hone_events', '');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER note_new_jobs AFTER INSERT ON jobs
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_new_jobs();

CREATE FUNCTION note_changed_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  queued bigint;
  ended bigint;
BEGIN
  WITH noted AS (
    INSERT INTO events (kind, job, campaign, state, reason)
      SELECT 'job', n.number, n.campaign, n.state::text,
             CASE WHEN n.state = 'done' THEN r.reason ELSE n.reason END
      FROM new_rows n
      JOIN old_rows o USING (number)
      LEFT JOIN results r ON r.job = n.number AND n.state = 'done'
      WHERE n.state <> o.state
      ORDER BY n.number
      RETURNING state, campaign)
  SELECT count(*) FILTER (WHERE state = 'queued'),
         count(*) FILTER (WHERE state IN ('done', 'dead', 'cancelled') AND campaign IS NOT NULL)
    INTO queued, ended FROM noted HAVING count(*) > 0;
  IF FOUND THEN
    PERFORM pg_notify('hone_events', '');
    IF queued > 0 THEN
      PERFORM pg_notify('hone_queue', '');
    END IF;
    IF ended > 0 THEN
      PERFORM pg_notify('hone_campaigns', '');
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER note_changed_jobs AFTER UPDATE ON jobs
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_changed_jobs();

CREATE FUNCTION note_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (kind, campaign, state, reason)
    VALUES ('campaign', NEW.number, NEW.state::text, NEW.reason);
  PERFORM pg_notify('hone_events', ''), pg_notify('hone_campaigns', '');
  RETURN NULL;
END $$;
CREATE TRIGGER note_new_campaign AFTER INSERT ON campaigns
  FOR EACH ROW EXECUTE FUNCTION note_campaign();
CREATE TRIGGER note_changed_campaign AFTER UPDATE OF state ON campaigns
  FOR EACH ROW WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION note_campaign();
