-- Several links of each program, one drawn per run (measurements.layout).

ALTER TABLE results
  ADD COLUMN links integer NOT NULL DEFAULT 1,
  ADD COLUMN layout_sigma double precision NOT NULL DEFAULT 0,
  ADD CONSTRAINT result_links_are_counted_from_one CHECK (links >= 1),
  ADD CONSTRAINT result_layout_sigma_is_a_deviation CHECK (layout_sigma >= 0 AND layout_sigma < 'Infinity');
COMMENT ON COLUMN results.links IS 'How many links of each side''s program were measured';
COMMENT ON COLUMN results.layout_sigma IS 'Standard deviation of the log time between links of the same objects; 0 if none shows above the noise';
