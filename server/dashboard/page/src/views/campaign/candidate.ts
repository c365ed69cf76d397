// A candidate as the table and the chart see it: from columns, when it is looked at.
import type { CandidateColumns } from '../../api/shapes_campaign';
import type { Interval } from '../../format/reward';

export function raceReward(columns: CandidateColumns, row: number): Interval | null {
  return intervalOf(columns.reward[row], columns.low[row], columns.high[row]);
}

export function confirmReward(columns: CandidateColumns, row: number): Interval | null {
  return intervalOf(columns.confirm_reward[row], columns.confirm_low[row], columns.confirm_high[row]);
}

function intervalOf(value: number | null | undefined, low: number | null | undefined, high: number | null | undefined): Interval | null {
  return typeof value === 'number' && typeof low === 'number' && typeof high === 'number' ? { value, low, high } : null;
}

// What it took to try it: its build and its runs. Null while neither is known.
export function costSeconds(columns: CandidateColumns, row: number): number | null {
  const build = columns.build_seconds[row];
  const measure = columns.measure_seconds[row];
  return typeof build === 'number' || typeof measure === 'number' ? (build ?? 0) + (measure ?? 0) : null;
}

// One word for filters: the verdict, else the outcome that ended it, else where it stands.
export function standing(columns: CandidateColumns, row: number): string {
  const outcome = columns.outcome[row];
  return columns.verdict[row] ?? (outcome && outcome !== 'ok' ? outcome : null) ?? columns.state[row] ?? 'not tried';
}

export function textChange(columns: CandidateColumns, row: number): number | null {
  const own = columns.text_bytes[row];
  const base = columns.baseline_text_bytes[row];
  return own && base ? Math.log(own / base) : null;
}

export function label(columns: CandidateColumns, row: number): string {
  return `${columns.set[row] ?? '?'}.${columns.index[row] ?? '?'}`;
}
