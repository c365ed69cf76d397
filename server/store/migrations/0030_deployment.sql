-- What all coordinators of a database must agree on: each compares its own settings with these.

CREATE TABLE deployment (
  one boolean PRIMARY KEY DEFAULT true CONSTRAINT deployment_has_one_row CHECK (one),
  artifacts_mark text CONSTRAINT artifacts_mark_is_sha256 CHECK (artifacts_mark ~ '^[0-9a-f]{64}$'),
  lease_seconds bigint CONSTRAINT lease_seconds_is_positive CHECK (lease_seconds > 0)
);
INSERT INTO deployment DEFAULT VALUES;
COMMENT ON TABLE deployment IS 'One row: what all coordinators of this database must agree on';
COMMENT ON COLUMN deployment.one IS 'Always true';
COMMENT ON COLUMN deployment.artifacts_mark IS 'SHA-256 of a small random file that lies among the artifacts, by which a coordinator sees whether its place is the others''; it is no artifact and has no record. Null: no coordinator that knows of it has started';
COMMENT ON COLUMN deployment.lease_seconds IS 'Setting lease_seconds of the coordinator that started last';
