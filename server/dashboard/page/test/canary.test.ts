import assert from 'node:assert/strict';
import test from 'node:test';
import type { CanaryDecision, CanaryPage, RatioColumns, WindowColumns } from '../src/api/shapes_canary';
import { sliValue } from '../src/format/sli';
import { leftText, objectiveText, spentText, windowText } from '../src/views/canaries/budget';
import { merged } from '../src/views/canaries/merge';
import { clock, rampPlace, timesIn } from '../src/views/canaries/plot_frame';
import { bandsOf, lostBecause, pointsOf, reachOfRatios, segmentsOf, spanOfCanary, stretchesOf, worstWindow, type RatioPoint } from '../src/views/canaries/ratio_data';
import { pauseOf } from '../src/views/canaries/use_canary';
import { intervalOf } from '../src/views/canaries/ratio_text';

const kStart = Date.parse('2026-11-29T10:00:00Z');

// Windows of ten seconds; null: lost.
function tables(owns: (number | null)[]): { windows: WindowColumns; ratios: RatioColumns } {
  const windows: WindowColumns = { number: [], start: [], seconds: [], share: [], baseline: [], baseline_requests: [], baseline_failures: [], canary: [], canary_requests: [], canary_failures: [] };
  const ratios: RatioColumns = { window: [], sli: [], baseline: [], canary: [], own: [], value: [], low: [], high: [], detectable: [], finding: [] };
  owns.forEach((own, number) => {
    windows.number.push(number);
    windows.start.push(kStart + number * 10_000);
    windows.seconds.push(10);
    windows.share.push(5);
    windows.baseline.push('ok');
    windows.baseline_requests.push(900);
    windows.baseline_failures.push(0);
    windows.canary.push(own === null ? 'scrape_gap' : 'ok');
    windows.canary_requests.push(own === null ? null : 50);
    windows.canary_failures.push(own === null ? null : 0);
    for (const sli of ['latency_p50', 'latency_p99']) {
      ratios.window.push(number);
      ratios.sli.push(sli);
      ratios.baseline.push(own === null ? null : 0.1);
      ratios.canary.push(own === null ? null : (10 + number) / 100);
      ratios.own.push(own);
      ratios.value.push(number < 2 ? null : -0.01);
      ratios.low.push(number < 3 ? null : -0.03);
      ratios.high.push(number < 3 ? null : 0.01);
      ratios.detectable.push(number < 2 ? null : 0.04);
      ratios.finding.push(number < 2 ? 'insufficient_traffic' : 'undecided');
    }
  });
  return { windows, ratios };
}

function pageOf(owns: (number | null)[], more: Partial<CanaryPage['canary']> = {}): CanaryPage {
  const { windows, ratios } = tables(owns);
  return {
    now: new Date(kStart + 100_000).toISOString(),
    canary: { created_at: new Date(kStart - 3_600_000).toISOString(), ended_at: null, ...more },
    windows: { rows: owns.length, columns: windows },
    ratios: { rows: 2 * owns.length, columns: ratios },
  } as CanaryPage;
}

test('a lost window has a place and a reason, and no number', () => {
  const { windows, ratios } = tables([0.01, null, 0, 0.02]);
  const points = pointsOf(windows, ratios, 'latency_p99');
  assert.deepEqual(points.map((point) => point.own), [0.01, null, 0, 0.02]);
  assert.deepEqual(points.map((point) => point.canary), [0.1, null, 0.12, 0.13]);
  assert.deepEqual(points.map((point) => point.lost), [null, 'scrape_gap', null, null]);
  assert.equal(points[1]?.from, kStart + 10_000);
  assert.equal(points[1]?.to, kStart + 20_000);
});

test('a window is lost where either group tells nothing', () => {
  const { windows } = tables([0, 0]);
  windows.baseline[1] = 'counter_reset';
  assert.equal(lostBecause(windows, 0), null);
  assert.equal(lostBecause(windows, 1), 'baseline: counter_reset');
});

test('rows of another indicator, or none at all, give no number', () => {
  const { windows, ratios } = tables([0.01]);
  assert.equal(pointsOf(windows, ratios, 'cpu_per_request')[0]?.own, null);
});

test('a band is broken where an interval has no ends, and goes on where nobody asked', () => {
  const point = (x: number, judged: boolean, low: number | null): RatioPoint => ({
    window: x, from: x, to: x, lost: null, baseline: 1, canary: 1, own: 0, judged, value: judged ? 0 : null, low, high: low === null ? null : -low, detectable: null,
  });
  const bands = bandsOf([point(0, true, -1), point(1, false, null), point(2, true, -2), point(3, true, null), point(4, true, -3)]);
  assert.deepEqual(bands.map((band) => band.map((at) => at.x)), [[0, 2], [4]]);
  assert.deepEqual(bandsOf([point(0, true, null)]), []);
});

test('the reach holds the tolerance, the last interval and most windows, not the first wild ones', () => {
  const { windows, ratios } = tables([3, ...new Array<number>(40).fill(0.01)]);
  const reach = reachOfRatios(pointsOf(windows, ratios, 'latency_p50'), 0.05);
  assert.ok(reach >= 0.1 && reach < 0.2, String(reach));
  assert.equal(reachOfRatios([], 0.05), 0.1);
});

test('the share over time is what was decided', () => {
  const decision = (seconds: number, state: string, share: number): CanaryDecision => ({ at: new Date(kStart + seconds * 1000).toISOString(), state, share, windows: 0, reason: '', judgement: null }) as CanaryDecision;
  const segments = segmentsOf([decision(10, 'ramping', 1), decision(20, 'ramping', 5), decision(30, 'rolled_back', 0)], kStart, kStart + 40_000);
  assert.deepEqual(segments.map((one) => [(one.from - kStart) / 1000, (one.to - kStart) / 1000, one.share, one.state]), [
    [0, 10, 0, 'prepared'], [10, 20, 1, 'ramping'], [20, 30, 5, 'ramping'], [30, 40, 0, 'rolled_back'],
  ]);
  assert.equal(segmentsOf([], kStart, kStart + 5).length, 1);
});

test('a long wait before the first window is cut off, and the end is in', () => {
  const span = spanOfCanary(pageOf([0, 0, 0]));
  assert.ok(span.from > kStart - 20_000 && span.from < kStart);
  assert.equal(span.to, kStart + 100_000);
  const none = spanOfCanary(pageOf([]));
  assert.equal(none.from, kStart - 3_600_000);
  const ended = spanOfCanary(pageOf([0, 0], { ended_at: new Date(kStart + 25_000).toISOString() }));
  assert.equal(ended.to, kStart + 25_000);
});

test('windows that told something are stretches between those that did not', () => {
  const { windows } = tables([0, 0, null, 0, 0, 0]);
  assert.deepEqual(stretchesOf(windows).map((one) => [(one.from - kStart) / 1000, (one.to - kStart) / 1000]), [[0, 20], [30, 60]]);
});

test('a living canary is looked at as often as something can be new', () => {
  assert.equal(pauseOf(null), 2000);
  assert.equal(pauseOf({ canary: { service: { window_seconds: 10 } } } as CanaryPage), 5000);
  assert.equal(pauseOf({ canary: { service: { window_seconds: 3600 } } } as CanaryPage), 15_000);
});

test('the ramp has its steps equally far apart', () => {
  const steps = [1, 5, 25, 50];
  assert.deepEqual([0, 1, 3, 5, 25, 50].map((share) => rampPlace(steps, share)), [0, 0.25, 0.375, 0.5, 0.75, 1]);
  assert.equal(rampPlace(steps, 80), 1);
});

test('times on an axis are round', () => {
  const times = timesIn({ from: kStart + 1000, to: kStart + 361_000 }, 6);
  assert.deepEqual(times.map((time) => (time - kStart) / 1000), [60, 120, 180, 240, 300, 360]);
  assert.ok(timesIn({ from: kStart, to: kStart + 400 * 86_400_000 }, 6).length <= 6);
  assert.equal(clock(kStart, { from: kStart, to: kStart + 60_000 }).length, 8);
});

test('a hard limit names the worst window, and lost ones are none', () => {
  const { ratios } = tables([0, null, 0, 0]);
  assert.deepEqual(worstWindow(ratios, 'latency_p99', 0.115), { worst: 0.13, window: 3, above: 2 });
  assert.deepEqual(worstWindow(ratios, 'cpu_per_request', 1), { worst: null, window: null, above: 0 });
});

test('new windows are put behind the old ones; without any, nothing is made anew', () => {
  const before = pageOf([0.01, 0.02]);
  const whole = pageOf([0.01, 0.02, null]);
  const after = { ...whole, windows: { rows: 1, columns: {} }, ratios: { rows: 2, columns: {} } } as unknown as CanaryPage;
  for (const table of ['windows', 'ratios'] as const) {
    const first = before[table].rows;
    (after[table] as { columns: unknown }).columns = Object.fromEntries(Object.entries(whole[table].columns).map(([name, column]) => [name, (column as unknown[]).slice(first)]));
  }
  assert.deepEqual(merged(before, after).windows, whole.windows);
  assert.deepEqual(merged(before, after).ratios, whole.ratios);
  const none = { ...whole, windows: { rows: 0, columns: {} }, ratios: { rows: 0, columns: {} } } as unknown as CanaryPage;
  assert.equal(merged(before, none).windows, before.windows);
});

test('an interval without ends is none', () => {
  assert.equal(intervalOf({ value: 0.1, low: null, high: 0.2 }), null);
  assert.equal(intervalOf(null), null);
  assert.deepEqual(intervalOf({ value: 0, low: 0, high: 0 }), { value: 0, low: 0, high: 0 });
});

test('budgets and indicators in words', () => {
  const objective = { good_share: 0.999, latency: 0.25, window_seconds: 2_592_000 };
  assert.equal(objectiveText(objective), '99.9 % good within 250 ms');
  assert.equal(objectiveText({ ...objective, good_share: 0.9, latency: 0 }), '90 % good');
  assert.equal(windowText(objective), '30 d');
  const budget = { requests: 1, bad: 1, bad_canary: 0, allowed: 1, left_share: -0.517, spent: true };
  assert.equal(spentText(budget), '151.7 %');
  assert.equal(leftText(budget), 'overspent by 51.7 %');
  assert.equal(leftText({ ...budget, left_share: 0.25 }), '25.0 % left');
  assert.equal(sliValue('latency_p95', null), 'not measured');
  assert.equal(sliValue('latency_p95', 0.045), '45.0 ms');
  assert.equal(sliValue('cpu_per_request', 0.00021), '210 µs');
  assert.equal(sliValue('failure_share', 0.0004), '0.040 %');
  assert.equal(sliValue('latency_spread', 1.9), '1.90');
});
