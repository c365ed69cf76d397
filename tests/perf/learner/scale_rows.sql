-- :rows experiences as a coordinator has them, the first being number :first, in the form that experience_line()
-- gives. The reward depends on the candidate, on the product and on their interplay, with noise of 1 %; 4 % fail:
-- they have a reason and no reward.
INSERT INTO experiences (id, source, line)
SELECT id, 'production', concat(
  '{"id":"', id, '","source":"staging","target":"product-', product,
  '","target_version":1,"job":"', gen_random_uuid(), '","attempt":"', gen_random_uuid(),
  '","campaign":"', md5('campaign' || i / 320)::uuid, '","candidate_set":"', md5('set' || i / 32)::uuid,
  '","candidate":"', gen_random_uuid(), '","candidate_index":', i % 32,
  ',"log_propensity":-3.4657359027997265,"stage":"race","baseline":"O3"',
  CASE WHEN luck < 10 THEN
    ',"outcome":"build_failed","reason":"the build ended with exit code 1 after 3.1 s: ninja: build stopped","verdict":null,"reward":null'
  ELSE concat(
    ',"outcome":"ok","reason":null,"verdict":"inconclusive","reward":{"value":', reward, ',"low":', reward - 0.018,
    ',"high":', reward + 0.017, ',"confidence":0.95,"pairs":24,"detectable_effect":', 0.0171 + noise / 10, ',"noise":',
    0.0129 - noise / 10, '}')
  END,
  ',"reused_attempt":null,"rules":', rules, ',"decisions":', replace(decisions, '@', hash),
  ',"machine":{"cpus": 2, "host": "staging-01", "kernel": "6.1.0-18-amd64", "cpu_model": "AMD EPYC 7763 64-Core Processor", "memory_mib": 24012}',
  ',"compiler":"Debian clang version 19.1.7 (3+b1)","created_at":"', rfc3339(now()), '"}')
FROM (
  SELECT drawn.i, gen_random_uuid() AS id, p.product, p.decisions, k.rules, k.hash, drawn.noise, drawn.luck,
         k.gain + k.gain_by_product * (p.product % 3 - 1) + drawn.noise AS reward
  FROM (
    SELECT i, (get_byte(digest, 0) * 256 + get_byte(digest, 1)) % 800 AS candidate, get_byte(digest, 2) AS luck,
           (get_byte(digest, 3) + get_byte(digest, 4) + get_byte(digest, 5) - 382.5::float8) / 12800 AS noise
    FROM (SELECT i, sha256(int8send(i)) AS digest FROM generate_series(:first, :first + :rows - 1) AS i) AS hashed) AS drawn
  JOIN scale_products p ON p.product = drawn.i % 40
  JOIN scale_candidates k ON k.candidate = drawn.candidate
  OFFSET 0) AS made;
