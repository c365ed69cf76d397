-- Where the baseline's time goes, by source file: which files candidates are made for.

CREATE TABLE source_profiles (
  target bigint NOT NULL,
  target_version integer NOT NULL,
  worker bigint NOT NULL REFERENCES workers,
  attempt bigint NOT NULL REFERENCES results,
  why_none text CONSTRAINT source_profile_reason_is_one CHECK (why_none <> ''),
  files jsonb NOT NULL,
  measured_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (target, target_version, worker),
  FOREIGN KEY (target, target_version) REFERENCES target_versions (target, version)
);
CREATE INDEX source_profiles_of_an_attempt ON source_profiles (attempt);
CREATE INDEX source_profiles_of_a_worker ON source_profiles (worker);
COMMENT ON TABLE source_profiles IS 'Measured beside a race job''s own work, once for a version of a target';
COMMENT ON COLUMN source_profiles.why_none IS 'Why this worker could not tell; it is asked again after a day';
COMMENT ON COLUMN source_profiles.files IS 'Source files and their shares of the instructions executed, the largest first';
