-- The replay buffer's rows as they are streamed: each one's JSON is made once, when it is written, since nothing
-- of it changes later. To join it from nine tables at every reading took ten times as long.

CREATE FUNCTION experience_line(id uuid, source experience_source, attempt bigint, created_at timestamptz)
  RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  RETURN (
    SELECT row_to_json(line)::text FROM (
      SELECT $1 AS id, $2 AS source, t.name AS target, j.target_version, j.id AS job,
             a.id AS attempt, c.id AS campaign, s.id AS candidate_set, k.id AS candidate,
             k.index AS candidate_index, k.log_propensity, j.stage, j.baseline, r.outcome,
             nullif(r.reason, '') AS reason, r.verdict,
             CASE WHEN r.reward IS NOT NULL THEN
               (SELECT row_to_json(estimate)
                FROM (SELECT r.reward AS value, r.reward_low AS low, r.reward_high AS high,
                             r.reward_confidence AS confidence, r.reward_pairs AS pairs,
                             r.reward_detectable_effect AS detectable_effect,
                             r.reward_noise AS noise) AS estimate)
             END AS reward,
             reused.id AS reused_attempt, coalesce(k.rules, j.rules) AS rules,
             coalesce(
               (SELECT json_agg(
                         (SELECT row_to_json(decision)
                          FROM (SELECT d.source, d.output, st.state_id,
                                       nullif(d.pipeline_hash, '') AS pipeline_hash, d.tuned,
                                       d.meant, nullif(d.reason, '') AS reason,
                                       d.log_propensity) AS decision)
                         ORDER BY d.number)
                FROM decisions d LEFT JOIN states st ON st.number = d.state
                WHERE d.attempt = r.attempt),
               '[]'::json) AS decisions,
             r.machine, nullif(r.compiler, '') AS compiler, rfc3339($4) AS created_at
      FROM results r
      JOIN attempts a ON a.number = r.attempt
      JOIN jobs j ON j.number = r.job
      JOIN targets t ON t.number = j.target
      LEFT JOIN campaigns c ON c.number = j.campaign
      LEFT JOIN candidates k ON k.number = j.candidate
      LEFT JOIN candidate_sets s ON s.number = k.set
      LEFT JOIN attempts reused ON reused.number = r.reused_attempt
      WHERE r.attempt = $3) AS line);
COMMENT ON FUNCTION experience_line IS 'An experience of an attempt as a learner reads it: one JSON document without line breaks. Called when the row is written';

ALTER TABLE experiences ADD COLUMN line text;
-- Lines are read far more often than written, and lz4 gives them back several times as fast as pglz. A server
-- that was built without it keeps its own.
DO $$ BEGIN
  EXECUTE 'ALTER TABLE experiences ALTER COLUMN line SET COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported OR syntax_error THEN NULL;
END $$;
UPDATE experiences SET line = experience_line(id, source, attempt, created_at);
ALTER TABLE experiences
  ALTER COLUMN line SET NOT NULL,
  ADD CONSTRAINT experience_line_is_one_document CHECK (line ~ '^\{"' AND strpos(line, E'\n') = 0);
COMMENT ON COLUMN experiences.line IS 'What is streamed of it, beside the cursor';
