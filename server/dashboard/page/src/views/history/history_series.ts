// A target's results as series to be drawn: over time, or one step for each version of the target (its commit).
import type { HistoryColumns, History } from '../../api/shapes_history';
import { quantile } from '../../charts/distribution';
import type { Series } from '../../charts/decimate';

export type Of = 'baseline' | 'candidate' | 'reward';

export interface OwnSeries extends Series {
  x: Float64Array;
  low: Float64Array;
  mid: Float64Array;
  high: Float64Array;
  rows: Int32Array; // of the columns
}

type Values = (number | null)[];

function parts(columns: HistoryColumns, of: Of): [Values | undefined, Values, Values | undefined] {
  switch (of) {
    case 'baseline':
      return [columns.baseline_low, columns.baseline, columns.baseline_high];
    case 'candidate':
      return [columns.candidate_low, columns.candidate, columns.candidate_high];
    case 'reward':
      return [columns.reward_low, columns.reward, columns.reward_high];
  }
}

// What has no value leaves no point. A result without quartiles is its own interval.
export function overTime(columns: HistoryColumns, of: Of): OwnSeries {
  const [lows, mids, highs] = parts(columns, of);
  const rows: number[] = [];
  mids.forEach((mid, row) => {
    if (mid !== null) {
      rows.push(row);
    }
  });
  const pick = (values: Values | undefined): Float64Array => Float64Array.from(rows, (row) => values?.[row] ?? mids[row] ?? NaN);
  return {
    x: Float64Array.from(rows, (row) => (columns.at[row] ?? 0) / 1000),
    low: pick(lows),
    mid: pick(mids),
    high: pick(highs),
    rows: Int32Array.from(rows),
  };
}

export interface VersionStep {
  version: number;
  results: number;
  median: number;
  q1: number;
  q3: number;
  commit: string | null;
}

// Quartiles of the results of each version; of buckets, their means stand for all they hold.
export function overVersions(history: History, of: Of): VersionStep[] {
  const columns = history.points.columns;
  const [, mids] = parts(columns, of);
  const values = new Map<number, { mids: number[]; results: number }>();
  columns.version.forEach((version, row) => {
    const mid = mids[row];
    if (typeof mid === 'number') {
      const own = values.get(version) ?? { mids: [], results: 0 };
      own.mids.push(mid);
      own.results += columns.count?.[row] ?? 1;
      values.set(version, own);
    }
  });
  const commits = new Map(history.versions.map((version) => [version.version, version.commit]));
  return [...values]
    .sort((a, b) => a[0] - b[0])
    .map(([version, own]) => {
      const sorted = own.mids.sort((a, b) => a - b);
      return { version, results: own.results, median: quantile(sorted, 0.5), q1: quantile(sorted, 0.25), q3: quantile(sorted, 0.75), commit: commits.get(version) ?? null };
    });
}

export function stepSeries(steps: readonly VersionStep[]): Series {
  return {
    x: Float64Array.from(steps, (_, index) => index),
    low: Float64Array.from(steps, (step) => step.q1),
    mid: Float64Array.from(steps, (step) => step.median),
    high: Float64Array.from(steps, (step) => step.q3),
  };
}
