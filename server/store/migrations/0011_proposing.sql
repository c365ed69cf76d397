-- Campaigns that take further candidate sets while they race, so that a proposer can learn from one
-- set before it makes the next.

ALTER TABLE campaigns
  ADD COLUMN proposing_seconds integer
    CONSTRAINT campaign_proposing_is_positive CHECK (proposing_seconds > 0),
  ADD COLUMN closed_at timestamptz,
  ADD COLUMN finalists uuid[]
    CONSTRAINT campaign_finalists_are_few CHECK (cardinality(finalists) BETWEEN 1 AND 3);
COMMENT ON COLUMN campaigns.proposing_seconds IS 'How long it waits for its proposer (a further set, or to be closed) once nothing of it is left to be raced; null: not at all';
COMMENT ON COLUMN campaigns.closed_at IS 'Since when it takes no more sets because its proposer said so';
COMMENT ON COLUMN campaigns.finalists IS 'Candidates to be confirmed, best first, as the proposer says: it has seen all of them together and may know better than the race alone. Null: the race decides';

-- The controller is waiting for it.
CREATE TRIGGER note_closed_campaign AFTER UPDATE OF closed_at ON campaigns
  FOR EACH ROW WHEN (NEW.closed_at IS DISTINCT FROM OLD.closed_at) EXECUTE FUNCTION note_campaign();
