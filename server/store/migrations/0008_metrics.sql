-- Metrics that are counted in a run, told by the machine, or sizes of what was built.

ALTER TYPE metric ADD VALUE 'instructions';
ALTER TYPE metric ADD VALUE 'text_bytes';
ALTER TYPE metric ADD VALUE 'binary_bytes';
ALTER TYPE metric ADD VALUE 'hardware_instructions';
ALTER TYPE metric ADD VALUE 'cycles';
ALTER TYPE metric ADD VALUE 'energy';

COMMENT ON COLUMN measurements.value IS 'In the unit of the metric (common/protocol/values.h)';
COMMENT ON COLUMN results.reward IS 'ln(T_baseline / T_candidate) of the median pair: above 0 is faster (of a size: smaller). Null if it failed or the binary equals the baseline''s. Of a metric that is the same in every run, reward_low = reward = reward_high and the noise is 0';
COMMENT ON COLUMN binaries.text_bytes IS 'Of all executable sections (before this migration of .text alone); 0 if it is no ELF file';
