-- Campaigns that wait for their proposer's first set: the controller asks for those that waited for too long.
CREATE INDEX campaigns_waiting_for_proposer ON campaigns (number)
  WHERE state = 'waiting' AND proposing_seconds IS NOT NULL;
COMMENT ON COLUMN campaigns.proposing_seconds IS 'How long it waits for its proposer (its first set, a further one, or to be closed) once nothing of it is left to be raced; null: for the first set for ever, for more not at all';
