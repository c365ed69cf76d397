import assert from 'node:assert/strict';
import test from 'node:test';
import { decimate, lowerBound, type Series } from '../src/charts/decimate';

function line(length: number, value: (index: number) => number): Series {
  const x = Float64Array.from({ length }, (_, index) => index);
  const y = Float64Array.from(x, value);
  return { x, low: y, mid: y, high: y };
}

test('the first index at or behind a place', () => {
  const xs = [1, 3, 3, 7];
  assert.deepEqual([0, 1, 2, 3, 4, 7, 8].map((x) => lowerBound(xs, x)), [0, 0, 1, 1, 3, 3, 4]);
  assert.equal(lowerBound([], 1), 0);
});

test('few points stay as they are, with one beyond either end', () => {
  const columns = decimate(line(100, (x) => x * 2), 10, 20, 50);
  assert.equal(columns.single, true);
  assert.deepEqual(columns.x, [9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]);
  assert.deepEqual(columns.mid, columns.x.map((x) => x * 2));
  assert.deepEqual([columns.begin, columns.end], [9, 22]);
});

test('no peak is lost, and no value is made up', () => {
  const peak = 54_321;
  const series = line(100_000, (x) => (x === peak ? 900 : x === peak + 1 ? -900 : Math.sin(x)));
  const columns = decimate(series, 0, 99_999, 1000);
  assert.equal(columns.single, false);
  assert.ok(columns.x.length <= 1002);
  assert.equal(Math.max(...columns.high), 900);
  assert.equal(Math.min(...columns.low), -900);
  columns.mid.forEach((mid, index) => assert.ok(mid >= (columns.low[index] as number) && mid <= (columns.high[index] as number)));
});

test('each column holds the least, the greatest and the mean of its own points', () => {
  const series = line(1000, (x) => (x * 7919) % 101);
  const columns = decimate(series, 0, 1000, 10);
  assert.equal(columns.x.length, 10);
  columns.x.forEach((middle, index) => {
    const own = Array.from({ length: 100 }, (_, i) => ((index * 100 + i) * 7919) % 101);
    assert.equal(middle, index * 100 + 50);
    assert.equal(columns.low[index], Math.min(...own));
    assert.equal(columns.high[index], Math.max(...own));
    assert.ok(Math.abs((columns.mid[index] as number) - own.reduce((sum, value) => sum + value, 0) / 100) < 1e-9);
  });
});

test('points at one place, an empty series and an empty window', () => {
  const same: Series = { x: [5, 5, 5, 5], low: [1, 2, 3, 4], mid: [1, 2, 3, 4], high: [1, 2, 3, 4] };
  assert.equal(decimate(same, 5, 5, 2).x.length, 4);
  assert.equal(decimate(same, 4, 5, 100).x.length, 4);
  const columns = decimate(same, 4, 6, 2);
  assert.deepEqual([columns.low, columns.high], [[1], [4]]);
  assert.equal(decimate(line(0, () => 0), 0, 1, 10).x.length, 0);
  assert.equal(decimate(line(10, () => 0), 100, 200, 10).x.length, 1);
});
