-- Published policies.

CREATE TABLE policies (
  target bigint NOT NULL REFERENCES targets,
  version integer NOT NULL CONSTRAINT policy_version_is_positive CHECK (version > 0),
  sequence bigint NOT NULL CONSTRAINT policy_sequence_is_positive CHECK (sequence > 0),
  document text NOT NULL,
  document_sha256 sha256 NOT NULL,
  signature text NOT NULL DEFAULT '',
  campaign bigint REFERENCES campaigns,
  candidate bigint,
  promoted boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES tokens,
  PRIMARY KEY (target, version),
  FOREIGN KEY (candidate, campaign) REFERENCES candidates (number, campaign),
  CONSTRAINT policy_sequence_is_unique_in_its_target UNIQUE (target, sequence)
);
CREATE UNIQUE INDEX policies_one_promoted_per_target ON policies (target) WHERE promoted;
CREATE INDEX policies_of_campaign ON policies (campaign) WHERE campaign IS NOT NULL;
ALTER TABLE campaigns
  ADD CONSTRAINT campaign_policy_is_of_its_target
  FOREIGN KEY (target, policy_version) REFERENCES policies (target, version);
COMMENT ON TABLE policies IS 'Documents that say how a target''s files are compiled; one per target is promoted';
COMMENT ON COLUMN policies.sequence IS 'As in the document; launchers refuse one below the last they saw';
COMMENT ON COLUMN policies.document IS 'Text, not jsonb: signature and ETag are of these bytes';
COMMENT ON COLUMN policies.signature IS 'Base64; empty: not signed';
COMMENT ON COLUMN policies.created_by IS 'Null: honed itself, at the end of a campaign';
