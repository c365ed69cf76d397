// The other views: overview, fleet, policies, explorer.
import { kAttention } from './canaries.mjs';
import { generator, uuid } from './random.mjs';
import { kBigCampaign, kCampaign, kNow, kScript, rewardOf, rulesOf } from './campaign.mjs';

const at = (before) => new Date(kNow - before).toISOString();
const kHour = 3600000;

export function overview() {
  const random = generator(9);
  const names = ['lz4', 'double-conversion', 'zstd', 'snappy', 'bazel-words'];
  return {
    now: at(0),
    targets: names.map((name, index) => ({
      name, version: 3, metric: index === 3 ? 'text_bytes' : 'cpu_time', commit: null, created_at: at(90 * kHour), updated_at: at(3 * kHour), campaigns: 4 + index, running: index === 0 ? 1 : 0,
      policies: index < 3 ? 2 : 0, promoted_version: index < 2 ? 1 : null,
      best: index < 4 ? { campaign: kCampaign, candidate: uuid(2, 2), job: uuid(5, 1), baseline: 'O3', policy_version: 2, at: at(kHour), reward: rewardOf([0.031, 0.012, 0.054, -0.002][index], 0.007, 96) } : null,
      last_measured_at: index === 4 ? null : at(index * kHour * 7),
    })),
    trend: names.slice(0, 4).flatMap((target) => Array.from({ length: 12 }, (_, index) => {
      const value = 0.01 + index * 0.002 + random.normal() * 0.006;
      const won = random.uniform() < 0.75;
      return { target, campaign: uuid(1, 50 + index), at: at((12 - index) * 24 * kHour), target_version: 1, commit: null, baseline: 'O3', state: 'finished', reward: won ? value : null, low: won ? value - 0.008 : null, high: won ? value + 0.008 : null, policy_version: won ? index + 1 : null };
    })),
    campaigns: [
      { id: kBigCampaign, target: 'lz4', state: 'racing', baseline: 'O3', created_at: at(2 * kHour), racing_at: at(2 * kHour), budget_candidates: 10000, budget_seconds: null, candidates: 10000, finished: 9500, failed: 760, late: 0, unfinished: 500, progress: 0.95, estimated_end: at(-kHour / 2), best_candidate: uuid(3, 7), best: rewardOf(0.045, 0.01) },
      { id: kCampaign, target: 'zstd', state: 'confirming', baseline: 'Oz', created_at: at(kHour), racing_at: at(kHour), budget_candidates: null, budget_seconds: 3600, candidates: 40, finished: 12, failed: 2, late: 0, unfinished: 28, progress: null, estimated_end: null, best_candidate: null, best: null },
    ],
    fleet: { workers: 3, alive: 2, drained: 1, unfit: 1, slots: 6, busy: 3, queued: 21, leased: 3 },
    attention: [
      ...kAttention,
      { kind: 'regression', at: at(kHour), target: 'snappy', worker: null, campaign: null, candidate: null, job: uuid(5, 1), source: null, canary: null, count: 1, text: 'confirmed slower: −1.2 % [−1.9, −0.6]' },
      { kind: 'unfit_worker', at: at(2 * kHour), target: 'lz4', worker: 'staging-2', campaign: null, candidate: null, job: null, source: null, canary: null, count: 1, text: 'two bad self-checks in a row: a false call, +1.9 % [+0.4, +3.4]' },
      { kind: 'fell_back', at: at(3 * kHour), target: 'zstd', worker: null, campaign: null, candidate: null, job: null, source: 'lib/decompress/zstd_decompress.c', canary: null, count: 14, text: 'compiled plain though a rule was meant for it: the source has changed' },
      { kind: 'failed_candidates', at: at(5 * kHour), target: 'lz4', worker: null, campaign: kCampaign, candidate: null, job: null, source: null, canary: null, count: 7, text: `miscompiled: ${kScript}` },
    ],
  };
}

export function fleet(drained) {
  const random = generator(21);
  const checks = { worker: [], target: [], version: [], at: [], noise: [], reward: [], low: [], high: [], detectable_effect: [], verdict: [], baseline_value: [] };
  for (let index = 0; index < 120; index += 1) {
    const worker = `staging-${1 + (index % 3)}`;
    const value = random.normal() * 0.003;
    const noise = 0.008 + (index % 3) * 0.006 + random.uniform() * 0.006;
    const own = [worker, index % 2 === 0 ? 'lz4' : 'zstd', 3, kNow - (120 - index) * kHour, noise, value, value - 0.006, value + 0.006, 0.007, 'inconclusive', 1.2];
    Object.keys(checks).forEach((key, place) => checks[key].push(own[place]));
  }
  const names = ['staging-1', 'staging-2', 'staging-3'];
  return {
    now: at(0),
    workers: names.map((name, index) => ({
      name, machine: { host: name, cpu_model: 'AMD EPYC 7543', cpus: 32, memory_mib: 131072, kernel: '6.1.0' }, labels: { rack: 'b2', note: index === 0 ? kScript : 'quiet' }, slots: 2, version: '0.1.0',
      registered_at: at(500 * kHour), last_seen_at: at(index === 2 ? 9 * kHour : 4000), alive: index !== 2, left_at: null, drained_at: drained.has(name) ? at(kHour) : null,
      jobs: index === 0 ? [{ id: uuid(5, 1), target: 'lz4', campaign: kBigCampaign, candidate: uuid(3, 9990), stage: 'race', leased_at: at(60000) }] : [],
      results_24h: 140 - index * 40, failures_24h: index * 3,
      checks: [{ target: 'lz4', target_version: 3, verdict: 'inconclusive', reward: { ...rewardOf(0.001, 0.006), noise: 0.009 + index * 0.007 }, baseline_value: 1.2, drift: 0.004 * index, checked_at: at(2 * kHour), unfit_reason: index === 1 ? `two bad self-checks in a row ${kScript}` : null }],
    })),
    checks: { rows: 120, columns: checks },
  };
}

export function policyList(promoted) {
  return { policies: [{ target: 'lz4', versions: 3, newest: 3, promoted: promoted.get('lz4') ?? 1, promoted_signed: false, at: at(kHour) }, { target: 'snappy', versions: 0, newest: null, promoted: null, promoted_signed: null, at: null }] };
}

export function policyPage(target, promoted, query) {
  const inForce = promoted.get(target) ?? 1;
  const versions = [3, 2, 1].map((version) => ({
    version, sequence: version, sha256: String(version).repeat(64), created_at: at((4 - version) * 24 * kHour), created_by: 'honed', promoted: version === inForce, signed: version === 1, signature: version === 1 ? 'c2lnbmF0dXJl'.repeat(6) : null,
    campaign: kCampaign, candidate: uuid(2, version), origin: 'knob', note: kScript, generator: 'hone-learner 0.1', reward: rewardOf(0.01 * version, 0.006, 96), baseline: 'O3', verdict: 'faster', worker: 'staging-1', compiler: 'clang version 19.1.7', commit: null, rules: 14, bytes: 5123,
  }));
  const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
  const diff = from && to ? { from, to, same: 1, added: [{ source: 'lib/new.c', pipeline: 'default<O3>,function(sroa)', knobs: {} }], removed: [{ source: 'lib/old.c', pipeline: 'default<O3>', knobs: { 'unroll-count': '4' } }], changed: [{ from: rulesOf(1)[0], to: rulesOf(3)[0] }] } : null;
  return { target, versions, diff };
}

export function explorer(program) {
  const names = ['adce', 'dce', 'early-cse', 'gvn', 'indvars', 'instcombine', 'instsimplify', 'jump-threading', 'licm', 'loop-rotate', 'loop-unroll', 'mem2reg', 'reassociate', 'sccp', 'simplifycfg', 'sroa'];
  return {
    available: true, compiler: 'LLVM 19.1.7', actions: names.map((name) => ({ name, pipeline: `function(${name})`, level: 'function' })), whole_pipelines: ['O1', 'O3', 'Oz'].map((name) => ({ name, pipeline: `default<${name}>` })),
    observations: ['Autophase', 'IrInstructionCount'], rewards: ['IrInstructionCount', 'IrInstructionCountO3', 'IrInstructionCountOz', 'IrInstructionCountLog'],
    programs: [{ program: 'ab'.repeat(32), size_bytes: 14321, episodes: 3, steps: 40, last_at: at(kHour) }],
    program, root: program ? 'aa'.repeat(32) : null,
    ...(program ? {
      transitions: names.slice(0, 6).map((name, index) => ({ from: 'aa'.repeat(32), to: `${index}b`.repeat(32), pipelines: [`function(${name})`], failed_pipeline: null, outcome: 'ok', times: 6 - index, rewards: { IrInstructionCountOz: 0.1 * index } })),
      states: names.slice(0, 6).map((_, index) => ({ state_id: `${index}b`.repeat(32), instructions: 500 - 20 * index })),
    } : {}),
  };
}
