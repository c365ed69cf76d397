// A target's history of any length, with planted changes of level.
import { generator, uuid } from './random.mjs';
import { kNow } from './campaign.mjs';

const kKeys = ['at', 'count', 'version', 'baseline', 'baseline_low', 'baseline_high', 'candidate', 'candidate_low', 'candidate_high', 'reward', 'reward_low', 'reward_high'];

export function points(total) {
  const random = generator(3);
  const columns = Object.fromEntries(kKeys.map((key) => [key, []]));
  for (let row = 0; row < total; row += 1) {
    const level = row < total * 0.4 ? 1.2 : row < total * 0.7 ? 1.27 : 1.18;
    const base = level * (1 + random.normal() * 0.012 + (random.uniform() < 0.002 ? 0.2 : 0));
    const reward = 0.01 + random.normal() * 0.015;
    const own = base / Math.exp(reward);
    const values = [kNow - (total - row) * 60000, 1, 1 + Math.floor((row / total) * 5), base, base * 0.99, base * 1.01, own, own * 0.99, own * 1.01, reward, reward - 0.01, reward + 0.01];
    kKeys.forEach((key, index) => columns[key].push(values[index]));
  }
  return { rows: total, columns };
}

// As the server has it: buckets of equal time above `most`, else every result with its job.
export function history(all, query) {
  const most = Number(query.get('points') ?? 2000);
  const from = Number(query.get('from') ?? all.columns.at[0]);
  const to = Number(query.get('to') ?? kNow);
  const rows = [];
  all.columns.at.forEach((at, row) => { if (at >= from && at <= to) rows.push(row); });
  const bucketed = rows.length > most;
  const columns = Object.fromEntries(kKeys.map((key) => [key, []]));
  const put = (own) => kKeys.forEach((key) => columns[key].push(own(key)));
  if (!bucketed) {
    rows.forEach((row) => put((key) => all.columns[key][row]));
    if (rows.length > 20_000) {
      for (const key of kKeys) if (key === 'count' || key.endsWith('_low') || key.endsWith('_high')) delete columns[key];
    }
    if (rows.length <= 2000) {
      columns.job = rows.map((row) => uuid(5, row));
      columns.verdict = rows.map(() => 'inconclusive');
      columns.stage = rows.map(() => 'race');
    }
  } else {
    const step = rows.length / most;
    for (let bucket = 0; bucket < most; bucket += 1) {
      const own = rows.slice(Math.floor(bucket * step), Math.floor((bucket + 1) * step));
      put((key) => {
        const values = own.map((row) => all.columns[key][row]);
        if (key === 'count') return own.length;
        if (key.endsWith('_low')) return Math.min(...values);
        if (key.endsWith('_high')) return Math.max(...values);
        if (key === 'version') return values[values.length - 1];
        return values.reduce((sum, value) => sum + value, 0) / values.length;
      });
    }
  }
  const at = (share) => all.columns.at[Math.floor(all.rows * share)];
  return {
    target: 'lz4', metric: 'cpu_time', unit: 'seconds', baseline: 'O3', worker: 'staging-1', stage: query.get('stage'),
    series: [{ metric: 'cpu_time', baseline: 'O3', worker: 'staging-1', results: all.rows, from: all.columns.at[0], to: kNow },
      { metric: 'text_bytes', baseline: 'O3', worker: 'staging-2', results: 12, from: all.columns.at[0], to: kNow }],
    from, to, total: rows.length, bucketed, points: { rows: columns.at.length, columns },
    changes: [{ of: 'baseline', at: at(0.4), not_before: at(0.4) - 60000, before: 1.2, after: 1.27, change: Math.log(1.27 / 1.2), version: 3 },
      { of: 'baseline', at: at(0.7), not_before: at(0.7) - 60000, before: 1.27, after: 1.18, change: Math.log(1.18 / 1.27), version: 4 }],
    versions: [0, 0.2, 0.4, 0.6, 0.8].map((share, index) => ({ version: index + 1, at: at(share), commit: index % 2 === 0 ? 'abcdef0123456789abcdef0123456789abcdef01' : null, artifact: index % 2 === 0 ? null : 'f'.repeat(64) })),
    campaigns: [{ id: uuid(1, 1), at: at(0.5), state: 'finished', reward: 0.026, low: 0.018, high: 0.034, policy_version: 2 }, { id: uuid(1, 3), at: at(0.2), state: 'finished', reward: null, low: null, high: null, policy_version: null }],
  };
}
