// What kinds of candidates brought what: of each origin how many were tried, failed, gained, and its best.
import type { CandidateColumns } from '../../api/shapes_campaign';
import { quantile } from '../../charts/distribution';
import type { Interval } from '../../format/reward';
import { raceReward } from './candidate';

export interface OriginRow {
  origin: string;
  tried: number;
  failed: number;
  same: number; // the very binary of the baseline
  gains: number; // whole interval above zero
  losses: number;
  median: number | null;
  best: Interval | null;
  bestRow: number | null;
}

export function originRows(columns: CandidateColumns): OriginRow[] {
  const rows = new Map<string, OriginRow & { values: number[] }>();
  for (let row = 0; row < columns.id.length; row += 1) {
    const outcome = columns.outcome[row];
    if (!outcome) {
      continue;
    }
    const origin = columns.origin[row] ?? 'not told';
    let own = rows.get(origin);
    if (!own) {
      own = { origin, tried: 0, failed: 0, same: 0, gains: 0, losses: 0, median: null, best: null, bestRow: null, values: [] };
      rows.set(origin, own);
    }
    own.tried += 1;
    const reward = raceReward(columns, row);
    if (outcome !== 'ok') {
      own.failed += 1;
    } else if (!reward) {
      own.same += 1;
    } else {
      own.values.push(reward.value);
      own.gains += reward.low > 0 ? 1 : 0;
      own.losses += reward.high < 0 ? 1 : 0;
      if (!own.best || reward.value > own.best.value) {
        own.best = reward;
        own.bestRow = row;
      }
    }
  }
  return [...rows.values()]
    .map(({ values, ...row }) => ({ ...row, median: values.length > 0 ? quantile(values.sort((a, b) => a - b), 0.5) : null }))
    .sort((a, b) => b.tried - a.tried);
}
