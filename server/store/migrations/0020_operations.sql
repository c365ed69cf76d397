-- Traces that jobs belong to, and how far the removal of what is old has come.

ALTER TABLE jobs ADD COLUMN traceparent text
  CONSTRAINT job_traceparent_is_one CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$');
COMMENT ON COLUMN jobs.traceparent IS 'W3C trace context of the request that submitted it, to go on from; null if it had none, or for a campaign''s job';
ALTER TABLE campaigns ADD COLUMN traceparent text
  CONSTRAINT campaign_traceparent_is_one CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$');
COMMENT ON COLUMN campaigns.traceparent IS 'W3C trace context of the request that began it, which all its jobs go on from; null if it had none';

-- Results are looked through once, in the order of their time: what was spared then (a policy refers to it) is
-- spared for good.
CREATE TABLE retention_progress (
  what text PRIMARY KEY,
  done_before timestamptz NOT NULL,
  done_attempt bigint NOT NULL
);
COMMENT ON TABLE retention_progress IS 'How far the background removal has come, for what it looks through in order of time';
COMMENT ON COLUMN retention_progress.what IS 'samples or job_logs';
COMMENT ON COLUMN retention_progress.done_before IS 'Time of the last result that was looked at';
COMMENT ON COLUMN retention_progress.done_attempt IS 'Number of its attempt';

-- Whether a state is still referred to must be told without reading all steps.
CREATE INDEX steps_of_state ON steps (state) WHERE state IS NOT NULL;
CREATE INDEX steps_to_state ON steps (next_state) WHERE next_state IS NOT NULL;
