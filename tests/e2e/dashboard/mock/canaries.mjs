// Canaries in the shapes of /v1/views/canaries: one that waits for approval, one that ramps and gets a window with each
// look, one that was rolled back, with lost windows and a reason that a careless page would run, one whose traffic told
// nothing, one that waits for its service's budget.
import { generator, uuid } from './random.mjs';
import { kCampaign, kNow, kScript, rewardOf } from './campaign.mjs';

export const kWaiting = uuid(7, 1);
export const kRamping = uuid(7, 2);
export const kRolledBack = uuid(7, 3);
export const kTold = uuid(7, 4); // nothing
export const kPrepared = uuid(7, 5);

const at = (before) => new Date(kNow - before).toISOString();
const kMinute = 60_000;
const kSlis = ['latency_p50', 'latency_p95', 'latency_p99', 'latency_spread', 'failure_share', 'cpu_per_request'];
const kBase = [0.012, 0.045, 0.09, 1.9, 0.0004, 0.0021];
const kObjective = { good_share: 0.999, latency: 0.25, window_seconds: 2_592_000 };
const kBudgets = {
  lz4: { requests: 1_200_340, bad: 512, bad_canary: 61, allowed: 1200.3, left_share: 0.5734, spent: false },
  zstd: { requests: 402_000, bad: 610, bad_canary: 230, allowed: 402, left_share: -0.517, spent: true },
};

// What is different about each: how many windows, which of them were lost, and by how much the canary is worse.
const kKinds = {
  [kWaiting]: { target: 'lz4', state: 'judged', share: 50, windows: 52, lost: [7], harm: -0.02, began: 14 * kMinute },
  [kRamping]: { target: 'snappy', state: 'ramping', share: 5, windows: 14, lost: [3], harm: 0, began: 5 * kMinute },
  [kRolledBack]: { target: 'zstd', state: 'rolled_back', share: 0, windows: 31, lost: [9, 10, 22], harm: 0.14, began: 130 * kMinute, ended: 124 * kMinute, reason: `latency_p95 is worse by 14.2 % ${kScript}` },
  [kTold]: { target: 'lz4', state: 'rolled_back', share: 0, windows: 6, lost: [0, 1, 2, 3, 4, 5], harm: 0, began: 300 * kMinute, ended: 299 * kMinute, reason: '6 windows in a row told nothing: no window tells both groups' },
  [kPrepared]: { target: 'zstd', state: 'prepared', share: 0, windows: 0, lost: [], harm: 0, began: 3 * kMinute, reason: 'waits: the error budget is spent: only the known-good policy is served' },
};

const kWords = { judged: 'no indicator is worse beyond its tolerance; waits for approval', ramping: '5 % of traffic, step 2 of 4', promoted: 'approved by admin-1', aborted: 'ended by admin-1' };
const lostWord = (window) => ['scrape_gap', 'counter_reset', 'no_traffic'][window % 3];

// `changes`: id to { state, reason }, what was decided by hand; `extra`: windows that came since.
function kindOf(id, changes, extra) {
  const kind = kKinds[id];
  if (!kind) return null;
  const change = changes.get(id);
  const windows = kind.windows + (id === kRamping ? Math.min(extra, 400) : 0);
  return { ...kind, windows, reason: kind.reason ?? kWords[kind.state], ...(change ? { ...change, share: change.state === 'promoted' ? 100 : 0, ended: 0 } : {}) };
}

function tables(id, kind) {
  const random = generator(Number.parseInt(id.slice(-4), 16) + 40);
  const windows = { number: [], start: [], seconds: [], share: [], baseline: [], baseline_requests: [], baseline_failures: [], canary: [], canary_requests: [], canary_failures: [] };
  const ratios = { window: [], sli: [], baseline: [], canary: [], own: [], value: [], low: [], high: [], detectable: [], finding: [] };
  const sums = kSlis.map(() => ({ sum: 0, count: 0 }));
  for (let window = 0; window < kind.windows; window += 1) {
    const lost = kind.lost.includes(window);
    const share = [1, 5, 25, 50][Math.min(3, Math.floor(window / 12))];
    const put = (key, value) => windows[key].push(value);
    put('number', window); put('start', kNow - kind.began + 4000 + window * 10_000); put('seconds', 10); put('share', share);
    put('baseline', 'ok'); put('baseline_requests', 4000 - 40 * share); put('baseline_failures', 2);
    put('canary', lost ? lostWord(window) : 'ok'); put('canary_requests', lost ? null : 40 * share); put('canary_failures', lost ? null : window % 2);
    kSlis.forEach((sli, index) => {
      const harm = ['latency_p95', 'latency_p99', 'latency_spread'].includes(sli) ? kind.harm : 0;
      const own = random.normal() * 0.03 - harm;
      const total = sums[index];
      if (!lost) { total.sum += own; total.count += 1; }
      const told = total.count >= 4;
      const value = total.count > 0 ? total.sum / total.count : 0;
      const half = 0.16 / Math.sqrt(total.count || 1);
      // p50 is told from the start, but its first interval has no ends.
      const row = [window, sli, lost ? null : kBase[index], lost ? null : kBase[index] * Math.exp(-own), lost ? null : own,
        told ? value : null, told && total.count > 4 ? value - half : null, told && total.count > 4 ? value + half : null, told ? half * 1.3 : null,
        told ? (value + half < 0 ? 'worse' : value - half > -0.05 ? 'harmless' : 'undecided') : 'insufficient_traffic'];
      Object.keys(ratios).forEach((key, place) => ratios[key].push(row[place]));
    });
  }
  return { windows, ratios };
}

function since(columns, key, first) {
  const rows = columns[key].map((value, row) => (value >= first ? row : -1)).filter((row) => row >= 0);
  return { rows: rows.length, columns: Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, rows.map((row) => column[row])])) };
}

function indicators(ratios) {
  const last = (sli) => { const row = ratios.sli.lastIndexOf(sli); return (key) => (row < 0 ? null : ratios[key][row]); };
  return kSlis.map((sli, index) => {
    const own = last(sli);
    const told = own('value') !== null;
    return {
      sli, finding: own('finding') ?? 'no_data', baseline: told ? kBase[index] : null, canary: told ? kBase[index] * Math.exp(-own('value')) : null,
      reward: { value: own('value'), low: own('low'), high: own('high') }, tolerance: 0.05, floor: 0.01, detectable: own('detectable'),
      windows: ratios.own.filter((value, row) => ratios.sli[row] === sli && value !== null).length, limit: sli === 'latency_p99' ? 0.1 : sli === 'failure_share' ? 0.01 : null,
    };
  });
}

function decisionsOf(kind) {
  const judged = (finding) => ({ finding });
  const list = [1, 5, 25, 50].slice(0, Math.max(0, Math.ceil(kind.windows / 12))).map((share, step) => ({
    at: at(kind.began - 3000 - step * 120_000), state: 'ramping', share, windows: step * 12, reason: `${share} % of traffic, step ${step + 1} of 4`, judgement: step === 0 ? null : judged('undecided'),
  }));
  if (kind.windows > 48) list.push({ at: at(kind.began - 500_000), state: 'judged', share: 50, windows: 49, reason: kWords.judged, judgement: judged('harmless') });
  if (kind.ended !== undefined) list.push({ at: at(kind.ended), state: kind.state, share: kind.share, windows: kind.windows, reason: kind.reason, judgement: kind.windows > kind.lost.length ? judged('worse') : null });
  if (kind.state === 'prepared') list.push({ at: at(kind.began - 1000), state: 'prepared', share: 0, windows: 0, reason: kind.reason, judgement: null });
  return list;
}

const causeOf = (kind) => ({ rolled_back: kind.harm > 0 ? 'harm' : 'lost_windows', aborted: 'by_hand' })[kind.state] ?? null;

function taughtBy(id, kind) {
  if (!['promoted', 'rolled_back', 'aborted'].includes(kind.state)) return null;
  const none = kind.windows === kind.lost.length;
  return { outcome: kind.state === 'aborted' ? 'cancelled' : none ? 'no_data' : 'ok', reason: none ? kind.reason : null, verdict: none ? null : kind.harm > 0 ? 'slower' : 'no_change', reward: none ? null : rewardOf(-kind.harm, 0.02, kind.windows - kind.lost.length),
    slis: none ? [] : [{ sli: 'latency_p95', slo_reward: 1.61 }, { sli: 'latency_p99', slo_reward: 0.91 }, { sli: 'latency_p50', slo_reward: null }] };
}

export function canaryPage(id, changes, extra, first, mayDecide) {
  const kind = kindOf(id, changes, extra);
  if (!kind) return null;
  const { windows, ratios } = tables(id, kind);
  return {
    now: at(0), may_decide: mayDecide, indicators: indicators(ratios), decisions: decisionsOf(kind), taught: taughtBy(id, kind),
    canary: {
      id, target: kind.target, policy_version: 2, spec: { ramp: { steps: [1, 5, 25, 50], step_windows: 12, most_windows: 120, most_lost: 6, approval: 'by_hand' } },
      service: { window_seconds: id === kRamping ? 2 : 10, objective: kObjective }, status: { state: kind.state, step: 1, step_windows: 2, lost_windows: 0, share: kind.share, reason: kind.reason, cause: causeOf(kind) },
      follows: true, windows: kind.windows, budget: kBudgets[kind.target] ?? null, known_good: 1, policy_in_force: kind.state === 'promoted' ? 2 : 1, created_at: at(kind.began), created_by: 'ops', ended_at: kind.ended === undefined ? null : at(kind.ended),
    },
    policy: { version: 2, promoted: false, campaign: kCampaign, candidate: uuid(2, 2), origin: 'knob', note: kScript, baseline: 'O3', reward: rewardOf(0.026, 0.008, 48) },
    windows: since(windows, 'number', first), ratios: since(ratios, 'window', first),
  };
}

export function canaryList(changes, extra, query) {
  const rows = Object.keys(kKinds).map((id) => {
    const kind = kindOf(id, changes, extra);
    const [, p95] = indicators(tables(id, kind).ratios);
    const told = p95.reward.value !== null;
    const taught = taughtBy(id, kind);
    return {
      id, target: kind.target, policy_version: 2, state: kind.state, share: kind.share, follows: kind.state !== 'ramping', waits_for_approval: kind.state === 'judged', windows: kind.windows, lost_windows: kind.windows === 0 ? null : kind.lost.length,
      finding: kind.windows === 0 ? null : p95.finding, sli: 'latency_p95', so_far: told ? p95.reward : null, outcome: taught?.outcome ?? null, reward: taught?.reward ?? null, reason: kind.reason, cause: causeOf(kind), known_good: 1,
      campaign: kCampaign, candidate: kind.target === 'zstd' ? null : uuid(2, 2), created_at: at(kind.began), created_by: 'ops', ended_at: kind.ended === undefined ? null : at(kind.ended),
    };
  }).filter((row) => (!query.get('state') || row.state === query.get('state')) && (!query.get('target') || row.target === query.get('target')));
  const services = ['lz4', 'zstd', 'snappy'].map((target) => ({
    target, objective: { ...kObjective, latency: target === 'snappy' ? 0 : 0.25 }, budget: kBudgets[target] ?? null, budget_at: kBudgets[target] ? at(4000) : null,
    stopped: target === 'zstd', stopped_since: target === 'zstd' ? at(124 * kMinute) : null, canary: null, state: null,
  }));
  return { now: at(0), total: rows.length, canaries: rows, services };
}

export const kAttention = [
  { kind: 'rolled_back_canary', at: at(124 * kMinute), target: 'zstd', worker: null, campaign: null, candidate: null, job: null, source: 'policy v2', canary: kRolledBack, count: 1, text: `latency_p95 is worse by 14.2 % ${kScript}` },
  { kind: 'spent_budget', at: at(124 * kMinute), target: 'zstd', worker: null, campaign: null, candidate: null, job: null, source: null, canary: null, count: 1, text: 'the error budget is spent: nothing is explored until its window moves on' },
  { kind: 'waiting_canary', at: at(5 * kMinute), target: 'lz4', worker: null, campaign: null, candidate: null, job: null, source: 'policy v2', canary: kWaiting, count: 1, text: kWords.judged },
];
