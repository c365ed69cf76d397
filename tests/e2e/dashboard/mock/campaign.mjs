// A campaign of any size, in the shape of /v1/views/campaigns/{id} and what hangs on it. Names and reasons hold
// what a careless page would run: they must come out as text.
import { generator, uuid } from './random.mjs';

export const kScript = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">';
export const kNow = Date.parse('2026-11-29T03:00:00.000Z');
export const kCampaign = uuid(1, 1);
export const kBigCampaign = uuid(1, 2);

const kOrigins = ['knob', 'mutation', 'union', 'narrow', 'tail', 'portfolio'];
const kNotes = ['-unroll-count=4', '-inline-call-penalty=50', '-vectorize-slp=false', 'default<O3>,function(sroa,gvn)', 'lib/lz4hc.c: -unroll-count=2'];
const kFailures = ['build_failed', 'miscompiled', 'timed_out', 'compiler_crashed'];

export function rulesOf(index) {
  const knobs = { 'unroll-count': String(2 + (index % 7)), 'inline-call-penalty': String(10 * (1 + (index % 5))) };
  return [
    { source: 'lib/lz4hc.c', pipeline: index % 3 === 0 ? 'default<O3>,function(flatten-cfg,lcssa,loop-simplify),cgscc(inline<only-mandatory>)' : 'default<O3>', knobs },
    { source: 'lib/lz4.c', pipeline: 'default<O3>,function(sroa,gvn<no-pre>)', knobs: {} },
    ...(index === 1 ? [{ source: kScript, pipeline: `function(${kScript.replaceAll('<', '{').replaceAll('>', '}')})`, knobs: {} }] : []),
  ];
}

export function candidates(count, campaign) {
  const random = generator(campaign === kCampaign ? 7 : 11);
  const columns = {
    id: [], set: [], index: [], origin: [], note: [], rules: [], log_propensity: [], finalist: [], state: [], outcome: [], reason: [], verdict: [],
    reward: [], low: [], high: [], pairs: [], noise: [], measured_at: [], build_seconds: [], measure_seconds: [], text_bytes: [], baseline_text_bytes: [],
    confirm_state: [], confirm_verdict: [], confirm_reward: [], confirm_low: [], confirm_high: [], confirmed_at: [],
  };
  for (let row = 0; row < count; row += 1) {
    const failed = random.uniform() < 0.08;
    const waits = row >= count * 0.95 && campaign === kBigCampaign;
    const same = !failed && random.uniform() < 0.1;
    const value = random.normal() * 0.012 - 0.004 + (random.uniform() < 0.05 ? 0.02 : 0);
    const half = 0.006 + random.uniform() * 0.02;
    const has = !failed && !same && !waits;
    const confirmed = has && row % 97 === 2;
    const put = (key, item) => columns[key].push(item);
    put('id', uuid(campaign === kCampaign ? 2 : 3, row));
    put('set', Math.floor(row / 32));
    put('index', row % 32);
    put('origin', random.pick(kOrigins));
    put('note', row === 1 ? kScript : random.pick(kNotes));
    put('rules', 2);
    put('log_propensity', -random.uniform() * 5);
    put('finalist', confirmed ? 1 : null);
    put('state', waits ? 'queued' : 'done');
    put('outcome', waits ? null : failed ? random.pick(kFailures) : 'ok');
    put('reason', failed ? `the build of lib/lz4.c failed: ${kScript}` : null);
    put('verdict', waits || failed ? null : same ? 'no_change' : value - half > 0 ? 'faster' : value + half < 0 ? 'slower' : 'inconclusive');
    put('reward', has ? value : null);
    put('low', has ? value - half : null);
    put('high', has ? value + half : null);
    put('pairs', has ? 24 : null);
    put('noise', has ? 0.01 + random.uniform() * 0.01 : null);
    put('measured_at', waits ? null : kNow - (count - row) * 9000);
    put('build_seconds', waits ? null : 1 + random.uniform() * 6);
    put('measure_seconds', has ? 5 + random.uniform() * 20 : null);
    put('text_bytes', has ? 120000 + random.below(9000) : null);
    put('baseline_text_bytes', has ? 122000 : null);
    put('confirm_state', confirmed ? 'done' : null);
    put('confirm_verdict', confirmed ? 'faster' : null);
    put('confirm_reward', confirmed ? value * 0.7 : null);
    put('confirm_low', confirmed ? value * 0.7 - 0.004 : null);
    put('confirm_high', confirmed ? value * 0.7 + 0.004 : null);
    put('confirmed_at', confirmed ? kNow : null);
  }
  return { rows: count, columns };
}

export function rewardOf(value, half, pairs = 24) {
  return { value, low: value - half, high: value + half, confidence: 0.95, pairs, detectable_effect: 0.008, noise: 0.013 };
}

function bestRow(columns) {
  return columns.reward.reduce((best, value, row) => (value !== null && (best < 0 || value > columns.reward[best]) ? row : best), -1);
}

export function campaignPage(id, table) {
  const big = id === kBigCampaign;
  const { columns, rows } = table;
  const row = bestRow(columns);
  const done = columns.state.filter((state) => state === 'done').length;
  return {
    now: new Date(kNow).toISOString(),
    campaign: {
      id, target: 'lz4', state: big ? 'racing' : 'finished', reason: null, baseline: 'O3', seed: 4711, budget_candidates: rows, budget_seconds: null, proposing_seconds: null,
      closed: !big, candidates: rows, finished: done, failed: columns.outcome.filter((outcome) => outcome && outcome !== 'ok').length, late: 0, unfinished: rows - done,
      best_candidate: columns.id[row], best_race: { ...rewardOf(columns.reward[row], 0.01), low: columns.low[row], high: columns.high[row] },
      winner_candidate: big ? null : columns.id[2], confirmed: big ? null : rewardOf(0.026, 0.008, 96), policy_version: big ? null : 2,
      created_at: new Date(kNow - 7200000).toISOString(), deadline: big ? new Date(kNow + 3 * 3600000).toISOString() : null, finished_at: big ? null : new Date(kNow).toISOString(), target_version: 3, metric: 'cpu_time', commit: null,
      racing_at: new Date(kNow - 7000000).toISOString(), confirming_at: null, estimated_end: big ? new Date(kNow + 1800000).toISOString() : null, progress: big ? done / rows : 1,
    },
    sets: [{ id: uuid(4, 0), number: 0, generator: 'seeded', scheme: null, created_at: new Date(kNow - 7200000).toISOString(), candidates: 32 }],
    candidates: table,
  };
}

// What changed since: two candidates of the big campaign, told anew each time with another reward.
export function changed(table, turn) {
  const columns = Object.fromEntries(Object.keys(table.columns).map((key) => [key, [table.columns[key][0], table.columns[key][1]]]));
  columns.note = [`turn ${turn}`, columns.note[1]];
  return { rows: 2, columns };
}
