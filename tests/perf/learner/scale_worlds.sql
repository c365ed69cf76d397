-- What the experiences of learner_scale.sh are made of: 40 products of 1 to 8 objects, and 800 candidates that
-- set five knobs of -O3. Pieces of text, so that ten million lines are put together in minutes.
CREATE TABLE IF NOT EXISTS scale_products AS
SELECT product,
       -- @ stands for the hash of what took effect.
       (SELECT json_agg((SELECT row_to_json(decision) FROM (SELECT
                 'src/part' || n || '.c' AS source, 'CMakeFiles/product.dir/src/part' || n || '.c.o' AS output,
                 encode(sha256(int8send(product * 8 + n)), 'hex') AS state_id, '@' AS pipeline_hash, true AS tuned,
                 true AS meant, NULL::text AS reason, -3.4657359027997265::float8 AS log_propensity) AS decision))
        FROM generate_series(0::bigint, product % 8) AS n)::text AS decisions
FROM generate_series(0::bigint, 39) AS product;

CREATE TABLE IF NOT EXISTS scale_candidates AS
SELECT a + 8 * b + 40 * c + 200 * d + 400 * e AS candidate,
       encode(sha256(int8send(a + 8 * b + 40 * c + 200 * d + 400 * e)), 'hex') AS hash,
       jsonb_build_array(jsonb_build_object(
         'source', '**', 'levels', jsonb_build_array('O3'), 'pipeline', 'default<O3>', 'knobs',
         jsonb_build_object('inline-threshold', (100 * (a + 1))::text, 'unroll-count', (2 ^ b)::text,
                            'unroll-threshold', (100 * (c + 1))::text, 'vectorize-slp', (d = 1)::text,
                            'unroll-allow-partial', (e = 1)::text)))::text AS rules,
       0.04 * (a = 5)::int - 0.03 * (a < 2)::int + 0.01 * b * (d = 1)::int - 0.006 * c * (e = 1)::int AS gain,
       0.02 * (b = 2)::int AS gain_by_product
FROM generate_series(0::bigint, 7) AS a, generate_series(0, 4) AS b, generate_series(0, 4) AS c,
     generate_series(0, 1) AS d, generate_series(0, 1) AS e;
CREATE UNIQUE INDEX IF NOT EXISTS scale_candidates_by_number ON scale_candidates (candidate);
ANALYZE scale_products, scale_candidates;
