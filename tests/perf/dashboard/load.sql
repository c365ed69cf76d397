-- A coordinator's database after a year of work, for tests/perf/dashboard_load.sh: variables
--   results   results of the target `big`, one series, of which 10,000 belong to one running campaign
--   pairs     pairs of samples a result; 2 * pairs * results rows of measurements
-- Written into the store's own tables past its triggers; every constraint of a row is checked as ever.
SET session_replication_role = replica;
SET synchronous_commit = off;
SELECT setseed(0.5);
BEGIN;

INSERT INTO targets (name, version)
  SELECT CASE WHEN i = 0 THEN 'big' ELSE 'small-' || i END, 20 FROM generate_series(0, 19) AS i;
INSERT INTO target_versions (target, version, spec, created_at)
  SELECT t.number, v,
         jsonb_build_object(
           'name', t.name,
           'source', jsonb_build_object('git', jsonb_build_object(
             'url', 'https://example.org/' || t.name,
             'commit', substr(encode(sha256((t.name || v)::bytea), 'hex'), 1, 40))),
           'build', '{"commands": [["make"]], "binaries": ["product"]}'::jsonb,
           'benchmark', '{"command": ["{build}/product"], "metric": {"metric": "cpu_time"}}'::jsonb),
         now() - interval '365 days' + (v - 1) * interval '18 days'
  FROM targets t, generate_series(1, 20) AS v;

INSERT INTO workers (name, machine, labels, slots, version)
  SELECT 'staging-' || i,
         '{"host": "staging", "cpu_model": "a processor", "cpus": 8, "memory_mib": 32768, "kernel": "Linux 6.1"}',
         '{"rack": "a"}', 2, '0.1.0'
  FROM generate_series(1, 8) AS i;

-- Campaign 1 races; 2 to 61 are over, and most of them have won.
INSERT INTO campaigns (target, target_version, state, baseline, seed, priority, budget_candidates, created_at,
                       racing_at)
  SELECT number, version, 'racing', 'O3', 1, 0, 10000, now() - interval '2 days', now() - interval '2 days'
  FROM targets WHERE name = 'big';
INSERT INTO campaigns (target, target_version, state, baseline, seed, priority, budget_candidates, created_at,
                       racing_at, confirming_at, finished_at, winner, policy_version)
  SELECT t.number, 1 + i / 3, 'finished', 'O3', i, 0, 1, ended - interval '2 hours', ended - interval '2 hours',
         ended - interval '1 hour', ended, CASE WHEN i % 4 > 0 THEN 10000 + i END,
         CASE WHEN i % 4 > 0 THEN i END
  FROM targets t, generate_series(1, 60) AS i,
       LATERAL (SELECT now() - interval '365 days' + i * interval '6 days' AS ended) AS e
  WHERE t.name = 'big';

INSERT INTO candidate_sets (campaign, generator, scheme, seed, created_at)
  SELECT 1, 'hone-learner 0.1.0', 'uniform', i, now() - interval '2 days' + i * interval '4 hours'
  FROM generate_series(0, 9) AS i;
INSERT INTO candidate_sets (campaign, generator, scheme, seed, created_at)
  SELECT 1 + i, 'hone 0.1.0', 'uniform', i, now() - interval '365 days' + i * interval '6 days' - interval '2 hours'
  FROM generate_series(1, 60) AS i;

-- Three rules each, of 40 files.
INSERT INTO candidates (set, campaign, index, origin, note, log_propensity, rules)
  SELECT CASE WHEN i < 10000 THEN 1 + i / 1000 ELSE i - 9989 END, CASE WHEN i < 10000 THEN 1 ELSE i - 9998 END,
         CASE WHEN i < 10000 THEN i % 1000 ELSE 0 END, (ARRAY['o3-mutation', 'knob', 'union'])[1 + i % 3],
         'src/file' || i % 40 || '.c: licm moved before gvn', -6.9,
         (SELECT jsonb_agg(jsonb_build_object(
                   'source', 'src/file' || (i * 7 + r * 11) % 40 || '.c', 'output', '', 'options', '',
                   'levels', '["O3"]'::jsonb, 'on_source_change', 'keep', 'source_hash', '',
                   'pipeline', 'default<O3>', 'knobs', jsonb_build_object('unroll-count', (i % 8)::text)))
          FROM generate_series(1, 3) AS r)
  FROM generate_series(0, 10059) AS i;
COMMIT;
BEGIN;

-- Job n has attempt n and result n: first the campaign's races, then confirmations of the winners, then the rest by hand.
INSERT INTO jobs (target, target_version, campaign, candidate, stage, baseline, priority, max_attempts, rules, state,
                  attempts_made, attempts_counted, attempt, created_at, finished_at)
  SELECT t.number,
         CASE WHEN i <= 10000 THEN 20 WHEN i <= 10060 THEN 1 + (i - 10000) / 3
              ELSE 1 + (i - 10061) * 20 / (:results - 10060) END,
         CASE WHEN i <= 10000 THEN 1 WHEN i <= 10060 THEN i - 9999 END, CASE WHEN i <= 10060 THEN i END,
         CASE WHEN i <= 10000 THEN 'race' ELSE 'confirm' END::stage, 'O3', 0, 3,
         CASE WHEN i > 10060 THEN '[]'::jsonb END,
         'done', 1, 1, i, at - interval '5 minutes', at
  FROM targets t, generate_series(1, :results) AS i,
       LATERAL (SELECT CASE
                  WHEN i <= 10000 THEN now() - interval '2 days' + i * interval '15 seconds'
                  WHEN i <= 10060 THEN now() - interval '365 days' + (i - 10000) * interval '6 days'
                  ELSE now() - interval '365 days' + (i - 10060) * interval '362 days' / (:results - 10060)
                END AS at) AS e
  WHERE t.name = 'big';
INSERT INTO attempts (job, lane, ordinal, worker, token, state, seed, leased_at, expires_at, ended_at,
                      completion_sha256)
  SELECT number, lane, 1, 1, 1, 'completed', number, created_at, finished_at, finished_at, repeat('0', 64)
  FROM jobs ORDER BY number;
-- A level that changes three times in the year, and noise of 2 %; one candidate of 25 fails.
INSERT INTO results (attempt, job, outcome, reason, verdict, reward, reward_low, reward_high, reward_confidence,
                     reward_pairs, reward_detectable_effect, reward_noise, machine, compiler, plugin_sha256,
                     launcher_version, linker, build_seconds, baseline_build_seconds, measure_seconds, log, warnings,
                     created_at, text_bytes, baseline_text_bytes)
  SELECT j.number, j.number, CASE WHEN ok THEN 'ok' ELSE 'build_failed' END::outcome,
         CASE WHEN ok THEN '' ELSE 'src/file1.c does not compile' END,
         CASE WHEN ok THEN (ARRAY['no_change', 'faster', 'slower', 'inconclusive'])[1 + j.number % 4] END::verdict,
         r.reward, r.reward - 0.01, r.reward + 0.01, CASE WHEN ok THEN 0.95 END, CASE WHEN ok THEN :pairs END,
         CASE WHEN ok THEN 0.008 END, CASE WHEN ok THEN 0.02 END,
         '{"host": "staging", "cpu_model": "a processor", "cpus": 8, "memory_mib": 32768, "kernel": "Linux 6.1"}',
         'Debian clang version 19.1.7 (3+b1)', '', '0.1.0', 'GNU ld', 3.5, 0, 12.5,
         repeat('[1/2] clang++ -O3 -c file.c' || chr(10), 20), '{}', j.finished_at, 100000 + j.number % 5000, 102000
  FROM jobs j, LATERAL (SELECT j.number % 25 <> 0 OR j.number > 10000 AS ok) AS o,
       LATERAL (SELECT CASE WHEN ok THEN 0.02 * (random() - 0.4) END AS reward) AS r
  ORDER BY j.number;
COMMIT;
BEGIN;
INSERT INTO measurements (attempt, number, pair, block, layout, position, role, metric, stage, baseline, value, input)
  SELECT r.attempt, p * 2 + side, p, p / 4, p % 8, side, CASE side WHEN 0 THEN 'baseline' ELSE 'candidate' END::sample_role,
         'cpu_time', j.stage, j.baseline,
         (1 + 0.05 * (r.attempt * 4 / :results % 2)) * (1 + 0.02 * (random() + random() - 1)) * exp(-side * r.reward), ''
  FROM results r JOIN jobs j ON j.number = r.job, generate_series(0, :pairs - 1) AS p, generate_series(0, 1) AS side
  WHERE r.outcome = 'ok'
  ORDER BY r.attempt;
SELECT summarise_results(array_agg(attempt)) FROM results GROUP BY attempt / 10000;
COMMIT;
BEGIN;

INSERT INTO binaries (attempt, role, number, path, sha256, size_bytes, text_bytes)
  SELECT attempt, role, 0, 'product', encode(sha256((attempt::text || role)::bytea), 'hex'), 150000, 100000
  FROM results, unnest(enum_range(NULL::sample_role)) AS role WHERE attempt <= 10060;
INSERT INTO decisions (attempt, number, source, output, pipeline_hash, tuned, meant, reason)
  SELECT attempt, f, 'src/file' || f || '.c', 'src/file' || f || '.o', '', f > 0 OR attempt % 50 > 0, true,
         CASE WHEN f = 0 AND attempt % 50 = 0 THEN 'the compiler crashed' ELSE '' END
  FROM results, generate_series(0, 9) AS f WHERE attempt <= 10060;

-- 250 self-checks of each worker, on attempts of the year's; the last of each says what it is worth.
INSERT INTO self_checks (attempt, worker, target, target_version, verdict, reward, reward_low, reward_high,
                         reward_confidence, reward_pairs, reward_detectable_effect, reward_noise, baseline_value,
                         checked_at)
  SELECT 10100 + w * 250 + i, w + 1, j.target, 20, CASE WHEN w = 7 AND i > 240 THEN 'too_noisy' ELSE 'no_change' END::verdict,
         0.001 * random(), -0.01, 0.01, 0.95, 32, 0.01, 0.01 + 0.005 * random(), 1 + 0.01 * random(),
         now() - (250 - i) * interval '6 hours'
  FROM generate_series(0, 7) AS w, generate_series(1, 250) AS i
  JOIN jobs j ON j.number = 1;
INSERT INTO worker_fitness (worker, target, target_version, self_check, checked_at, bad_in_a_row, drift, unfit_reason)
  SELECT DISTINCT ON (worker) worker, target, target_version, attempt, checked_at,
         CASE verdict WHEN 'too_noisy' THEN 2 ELSE 0 END, 0.001,
         CASE verdict WHEN 'too_noisy' THEN 'two self-checks in a row were too noisy' END
  FROM self_checks ORDER BY worker, checked_at DESC;

INSERT INTO policies (target, version, sequence, document, document_sha256, campaign, candidate, promoted, created_at)
  SELECT c.target, c.policy_version, c.policy_version, d.document, encode(sha256(d.document::bytea), 'hex'), c.number,
         c.winner, c.policy_version = 59, c.finished_at
  FROM campaigns c JOIN candidates k ON k.number = c.winner,
       LATERAL (SELECT jsonb_build_object('format', 1, 'target', 'big', 'sequence', c.policy_version, 'compiler',
                         '{"family": "clang", "major": 19}'::jsonb, 'rules', k.rules)::text AS document) AS d;

-- A program's tree of logged sessions: 200 episodes of 20 steps.
INSERT INTO artifacts (sha256, size_bytes) VALUES (repeat('a', 64), 4096);
INSERT INTO states (state_id, features)
  SELECT encode(sha256(('state' || i)::bytea), 'hex'), jsonb_build_object('IrInstructionCount', 1000 - i)
  FROM generate_series(0, 999) AS i;
INSERT INTO episodes (id, session, token, program, start, machine, compiler, begun_at)
  SELECT gen_random_uuid(), gen_random_uuid(), 1, repeat('a', 64), 'open', '{}', 'LLVM 19.1.7', now()
  FROM generate_series(1, 200) AS i;
INSERT INTO steps (episode, step, kind, pipelines, applied, changed, state, next_state, outcome, reason, rewards, length, at)
  SELECT e.number, s, CASE s WHEN 0 THEN 'begin' ELSE 'step' END::step_kind,
         CASE WHEN s > 0 THEN ARRAY['function(pass' || (e.number * 7 + s) % 40 || ')'] END,
         CASE WHEN s > 0 THEN 1 END, CASE WHEN s > 0 THEN true END,
         CASE WHEN s > 0 THEN 1 + (e.number * (s - 1)) % 999 END, 1 + (e.number * s) % 999,
         'ok', '', '{"IrInstructionCountOz": 0.01}', s, now()
  FROM episodes e, generate_series(0, 20) AS s;
COMMIT;
-- Jobs that wait, so that the queue and the fleet have something to show.
INSERT INTO jobs (target, target_version, stage, baseline, priority, max_attempts, rules)
  SELECT number, 20, 'confirm', 'O3', 0, 3, '[]' FROM targets, generate_series(1, 50) WHERE name = 'small-1';
VACUUM ANALYZE;
