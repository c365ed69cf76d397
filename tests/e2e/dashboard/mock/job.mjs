// A comparison of a candidate with the baseline: paired samples, rules, files, log.
import { generator, uuid } from './random.mjs';
import { kCampaign, kNow, kScript, rewardOf, rulesOf } from './campaign.mjs';

export function jobPage(id, candidate) {
  const random = generator(5);
  const pairs = { pair: [], input: [], metric: [], block: [], layout: [], baseline: [], candidate: [], log_ratio: [], candidate_first: [] };
  for (let pair = 0; pair < 48; pair += 1) {
    const base = 1.23 + random.normal() * 0.012 + (random.uniform() < 0.05 ? 0.05 : 0);
    const own = 1.2 + random.normal() * 0.012;
    pairs.pair.push(pair);
    pairs.input.push(pair % 2 === 0 ? 'text' : 'binary');
    pairs.metric.push('cpu_time');
    pairs.block.push(Math.floor(pair / 8));
    pairs.layout.push(random.below(8));
    pairs.baseline.push(base);
    pairs.candidate.push(own);
    pairs.log_ratio.push(Math.log(base / own));
    pairs.candidate_first.push(random.uniform() < 0.5);
  }
  const reward = rewardOf(0.026, 0.008, 48);
  const at = new Date(kNow).toISOString();
  const job = {
    id, target: 'lz4', campaign: kCampaign, candidate, origin: 'knob', note: kScript, stage: 'confirm', baseline: 'O3', metric: 'cpu_time', state: 'done', outcome: 'ok', reason: null,
    verdict: 'faster', reward, created_at: at, finished_at: at,
    attempts: [{ id: uuid(6, 1), number: 1, worker: 'staging-1', state: 'completed', reason: null, leased_at: at, ended_at: at }],
    rules: rulesOf(1),
    result: {
      outcome: 'ok', reason: null, verdict: 'faster', reward, reused_attempt: null,
      decisions: [
        { source: 'lib/lz4hc.c', output: 'lz4hc.o', state_id: 'a'.repeat(64), pipeline_hash: 'b'.repeat(64), tuned: true, meant: true, reason: null, log_propensity: null },
        { source: 'lib/lz4.c', output: 'lz4.o', state_id: null, pipeline_hash: null, tuned: false, meant: true, reason: `a profile: ${kScript}`, log_propensity: null },
        { source: 'lib/xxhash.c', output: 'xxhash.o', state_id: null, pipeline_hash: null, tuned: false, meant: false, reason: 'no rule', log_propensity: null },
      ],
      binaries: [{ path: 'lz4', sha256: 'c'.repeat(64), size_bytes: 260000, text_bytes: 121000 }],
      baseline_binaries: [{ path: 'lz4', sha256: 'd'.repeat(64), size_bytes: 262000, text_bytes: 122000 }],
      machine: { host: 'staging-1', cpu_model: 'AMD EPYC 7543', cpus: 32, memory_mib: 131072, kernel: '6.1.0' },
      toolchain: { compiler: 'clang version 19.1.7', plugin_sha256: 'e'.repeat(64), launcher_version: '0.1.0', linker: 'LLD 19.1.7' },
      build_seconds: 6.1, baseline_build_seconds: 5.4, measure_seconds: 118, links: 8, layout_sigma: 0.004,
      log: `[1/12] Building C object lib/lz4.c.o\nwarning: ${kScript}\n[12/12] Linking\n`, warnings: ['the stack is moved at random: this build makes no further links'],
    },
  };
  return {
    job, target_version: 3, commit: null, worker: 'staging-1',
    candidate: candidate && { id: candidate, index: 2, set: uuid(4, 0), set_number: 0, origin: 'knob', note: kScript, log_propensity: -1.2, finalist: 1, winner: true },
    jobs: [{ id: uuid(5, 9), stage: 'race', baseline: 'O3', state: 'done', outcome: 'ok', verdict: 'faster', reward: rewardOf(0.038, 0.012), finished_at: at, note: kScript },
      { id, stage: 'confirm', baseline: 'O3', state: 'done', outcome: 'ok', verdict: 'faster', reward, finished_at: at, note: null }],
    pairs: { rows: 48, columns: pairs }, samples_of: id,
    parent: { id: uuid(2, 7), index: 7, set_number: 0, note: null, reward: rewardOf(0.011, 0.01), rules: rulesOf(3), why: 'nearest of the best that were measured before it was proposed' },
    policies: [{ version: 2, promoted: false }],
  };
}
