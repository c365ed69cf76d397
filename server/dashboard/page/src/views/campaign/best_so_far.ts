// The search as a curve: candidates in the order in which they were measured, against what was spent until
// then, and the best reward so far with the interval of that best one. The best of many flatters: the curve is
// the race's own view, a confirmation measures again.
import type { CandidateColumns } from '../../api/shapes_campaign';
import { costSeconds, raceReward } from './candidate';

export type Across = 'order' | 'spent' | 'cost';

export interface SearchCurve {
  rows: number[]; // of the candidates, in the order of x
  x: number[];
  reward: (number | null)[]; // null: it failed
  same: boolean[]; // the very binary of the baseline: nothing was measured, and its reward is 0 for certain
  best: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
}

export function searchCurve(columns: CandidateColumns, across: Across): SearchCurve {
  const measured: number[] = [];
  columns.measured_at.forEach((at, row) => {
    if (at !== null) {
      measured.push(row);
    }
  });
  measured.sort((a, b) => (columns.measured_at[a] ?? 0) - (columns.measured_at[b] ?? 0));
  if (across === 'cost') {
    return byCost(columns, measured);
  }
  const curve: SearchCurve = { rows: measured, x: [], reward: [], same: [], best: [], low: [], high: [] };
  let spent = 0;
  let best: { value: number; low: number; high: number } | null = null;
  measured.forEach((row, place) => {
    spent += costSeconds(columns, row) ?? 0;
    const reward = raceReward(columns, row);
    if (reward && (best === null || reward.value > best.value)) {
      best = reward;
    }
    curve.x.push(across === 'order' ? place + 1 : spent);
    curve.reward.push(pointOf(columns, row));
    curve.same.push(isSame(columns, row));
    curve.best.push(best?.value ?? null);
    curve.low.push(best?.low ?? null);
    curve.high.push(best?.high ?? null);
  });
  return curve;
}

function isSame(columns: CandidateColumns, row: number): boolean {
  return columns.verdict[row] === 'no_change' && raceReward(columns, row) === null;
}

function pointOf(columns: CandidateColumns, row: number): number | null {
  return isSame(columns, row) ? 0 : (raceReward(columns, row)?.value ?? null);
}

// Reward against a candidate's own cost has no course of time, and so no curve.
function byCost(columns: CandidateColumns, measured: readonly number[]): SearchCurve {
  const rows = measured
    .filter((row) => costSeconds(columns, row) !== null)
    .sort((a, b) => (costSeconds(columns, a) ?? 0) - (costSeconds(columns, b) ?? 0));
  const none = rows.map(() => null);
  return {
    rows,
    x: rows.map((row) => costSeconds(columns, row) ?? 0),
    reward: rows.map((row) => pointOf(columns, row)),
    same: rows.map((row) => isSame(columns, row)),
    best: none,
    low: none,
    high: none,
  };
}
