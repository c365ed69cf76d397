-- Campaigns that must be over by a given time: their jobs have it as their own deadline.
ALTER TABLE campaigns ADD COLUMN deadline timestamptz;
COMMENT ON COLUMN campaigns.deadline IS 'Past it no job of it is leased, those that run are told to stop, and it ends; a winner that was confirmed by then is published. Null: none';
CREATE INDEX campaigns_with_deadline ON campaigns (number) WHERE state = 'waiting' AND deadline IS NOT NULL;
