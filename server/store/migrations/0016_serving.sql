-- When a coordinator last served: a lease runs out only by time in which its worker could have sent a
-- heartbeat.

CREATE TABLE serving (
  one boolean PRIMARY KEY DEFAULT true CONSTRAINT serving_has_one_row CHECK (one),
  until timestamptz
);
INSERT INTO serving DEFAULT VALUES;
COMMENT ON TABLE serving IS 'One row, for all coordinators of this database together';
COMMENT ON COLUMN serving.one IS 'Always true';
COMMENT ON COLUMN serving.until IS 'When one of them last said that it serves, which each does every second; null: never';
