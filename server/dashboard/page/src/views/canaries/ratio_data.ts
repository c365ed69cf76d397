// What the charts of a canary draw, out of the tables of the view. A window that was lost has a place and no number.
import type { CanaryDecision, CanaryPage, RatioColumns, WindowColumns } from '../../api/shapes_canary';

export interface Span {
  from: number;
  to: number;
}

export interface RatioPoint {
  window: number;
  from: number; // milliseconds since 1970
  to: number;
  lost: string | null; // why nothing was told
  baseline: number | null;
  canary: number | null;
  own: number | null; // log ratio of this window alone
  judged: boolean; // whether the next four say something of all windows until then
  value: number | null;
  low: number | null;
  high: number | null;
  detectable: number | null;
}

// Why a window tells nothing; of a canary that is down its own word, not that of the baseline beside it.
export function lostBecause(windows: WindowColumns, row: number): string | null {
  const [canary, baseline] = [windows.canary[row], windows.baseline[row]];
  if (canary !== undefined && canary !== 'ok') {
    return canary;
  }
  return baseline !== undefined && baseline !== 'ok' ? `baseline: ${baseline}` : null;
}

export function pointsOf(windows: WindowColumns, ratios: RatioColumns, sli: string): RatioPoint[] {
  const rows = new Map<number, number>();
  ratios.sli.forEach((own, row) => {
    if (own === sli) {
      rows.set(ratios.window[row] ?? -1, row);
    }
  });
  return windows.number.map((window, place) => {
    const row = rows.get(window) ?? -1;
    const start = windows.start[place] ?? 0;
    const finding = ratios.finding[row] ?? null;
    return {
      window,
      from: start,
      to: start + (windows.seconds[place] ?? 0) * 1000,
      lost: lostBecause(windows, place),
      baseline: ratios.baseline[row] ?? null,
      canary: ratios.canary[row] ?? null,
      own: ratios.own[row] ?? null,
      judged: finding !== null,
      value: ratios.value[row] ?? null,
      low: ratios.low[row] ?? null,
      high: ratios.high[row] ?? null,
      detectable: ratios.detectable[row] ?? null,
    };
  });
}

// A run of neighbouring judgements whose interval has both ends; where one has not, the band is broken.
export function bandsOf(points: readonly RatioPoint[]): { x: number; low: number; high: number; value: number }[][] {
  const bands: { x: number; low: number; high: number; value: number }[][] = [];
  let open = false;
  for (const point of points) {
    if (!point.judged) {
      continue; // not asked at this window: the band goes on
    }
    if (point.low === null || point.high === null || point.value === null) {
      open = false;
      continue;
    }
    if (!open) {
      bands.push([]);
      open = true;
    }
    bands[bands.length - 1]?.push({ x: (point.from + point.to) / 2, low: point.low, high: point.high, value: point.value });
  }
  return bands;
}

// The chart's reach: the tolerance, the last interval and most windows are in it. What lies outside is drawn at its edge,
// since the first intervals are as wide as anything.
export function reachOfRatios(points: readonly RatioPoint[], tolerance: number): number {
  const owns = points.flatMap((point) => (point.own === null ? [] : [Math.abs(point.own)])).sort((a, b) => a - b);
  const judged = points.filter((point) => point.judged);
  const last = judged[judged.length - 1];
  return Math.max(
    2 * tolerance,
    owns[Math.floor((owns.length - 1) * 0.95)] ?? 0,
    1.4 * Math.max(Math.abs(last?.low ?? 0), Math.abs(last?.high ?? 0), last?.detectable ?? 0),
  );
}

// Time as all charts of a canary have it, so that they can be read down. A long wait before the first window is cut off.
export function spanOfCanary(page: CanaryPage): Span {
  const { start, seconds } = page.windows.columns;
  const created = Date.parse(page.canary.created_at);
  const end = page.canary.ended_at ? Date.parse(page.canary.ended_at) : Date.parse(page.now);
  const last = start.length - 1;
  const to = Math.max(end, last < 0 ? end : (start[last] ?? 0) + (seconds[last] ?? 0) * 1000);
  const first = start[0] ?? created;
  const from = Math.max(Math.min(created, first), first - (to - first) * 0.1);
  return { from, to: to > from ? to : from + 1000 };
}

export interface Segment {
  from: number;
  to: number;
  share: number;
  state: string;
}

// Neighbouring windows that told something, as one stretch of time each: thousands of them need no mark of their own.
export function stretchesOf(windows: WindowColumns): Span[] {
  const stretches: Span[] = [];
  let open: Span | null = null;
  windows.start.forEach((start, row) => {
    const to = start + (windows.seconds[row] ?? 0) * 1000;
    if (lostBecause(windows, row) !== null) {
      open = null;
    } else if (open && start - open.to < 1000) {
      open.to = to;
    } else {
      open = { from: start, to };
      stretches.push(open);
    }
  });
  return stretches;
}

// The share of traffic over time, as it was decided.
export function segmentsOf(decisions: readonly CanaryDecision[], created: number, end: number): Segment[] {
  const segments: Segment[] = [];
  let before: Segment = { from: created, to: created, share: 0, state: 'prepared' };
  for (const decision of decisions) {
    const at = Date.parse(decision.at);
    if (at > before.from) {
      segments.push({ ...before, to: at });
    }
    before = { from: at, to: at, share: decision.share, state: decision.state };
  }
  segments.push({ ...before, to: Math.max(end, before.from) });
  return segments;
}

// The most that the canary had of an indicator in one window, and how many windows were above the limit.
export function worstWindow(ratios: RatioColumns, sli: string, limit: number): { worst: number | null; window: number | null; above: number } {
  let worst: number | null = null;
  let window: number | null = null;
  let above = 0;
  ratios.sli.forEach((own, row) => {
    const value = ratios.canary[row] ?? null;
    if (own !== sli || value === null) {
      return;
    }
    above += value > limit ? 1 : 0;
    if (worst === null || value > worst) {
      worst = value;
      window = ratios.window[row] ?? null;
    }
  });
  return { worst, window, above };
}
