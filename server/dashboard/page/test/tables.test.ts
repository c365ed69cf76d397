import assert from 'node:assert/strict';
import test from 'node:test';
import { parseOrder, sortRows, type Column } from '../src/table/column';
import { kRowHeight, rowsInSight } from '../src/table/window';
import { boxOf, quantile, swarm } from '../src/charts/distribution';
import { ticks } from '../src/charts/ticks';
import { panned, within, zoomed } from '../src/charts/window';

const kValues = [3, null, 1, 2, null, 1];
const kColumns: Column[] = [{ key: 'v', title: 'v', width: 10, sort: (row) => kValues[row] ?? null, cell: () => '' }];

test('what is not there comes last in either direction, and equal rows stay in order', () => {
  const rows = [0, 1, 2, 3, 4, 5];
  assert.deepEqual(sortRows(rows, kColumns, { key: 'v', down: false }), [2, 5, 3, 0, 1, 4]);
  assert.deepEqual(sortRows(rows, kColumns, { key: 'v', down: true }), [0, 3, 2, 5, 1, 4]);
});

test('an order of the URL is a column that can be sorted by', () => {
  const fallback = { key: 'v', down: true };
  assert.deepEqual(parseOrder('v', kColumns, fallback), { key: 'v', down: false });
  assert.deepEqual(parseOrder('-v', kColumns, fallback), { key: 'v', down: true });
  assert.deepEqual(parseOrder('nothing', kColumns, fallback), fallback);
});

test('only rows in sight stand', () => {
  const sight = rowsInSight(10_000, 5000 * kRowHeight, 560);
  assert.ok(sight.first <= 5000 && sight.end >= 5000 + 560 / kRowHeight);
  assert.ok(sight.end - sight.first < 60);
  assert.deepEqual(rowsInSight(3, 0, 560), { first: 0, end: 3 });
});

test('quartiles as R and NumPy have them, whiskers within one and a half boxes', () => {
  assert.equal(quantile([1, 2, 3, 4], 0.25), 1.75);
  assert.deepEqual(boxOf([4, 1, 3, 2, 100]), { low: 1, q1: 2, median: 3, q3: 4, high: 4 });
  assert.equal(boxOf([]), null);
});

test('points of a strip do not hide each other while there are lanes', () => {
  assert.deepEqual(swarm([0, 0.2, 0.4, 3], 3), [0, -1, 1, 0]);
});

test('ticks are round and within', () => {
  assert.deepEqual(ticks(1.18, 1.26, 5), [1.18, 1.2, 1.22, 1.24, 1.26]);
  assert.deepEqual(ticks(-1, 1, 4), [-1, -0.5, 0, 0.5, 1]);
  assert.deepEqual(ticks(1, 1, 4), []);
});

test('a window stays within the whole, and zoom leaves its place where it is', () => {
  const whole = { from: 0, to: 100 };
  assert.deepEqual(panned({ from: 80, to: 90 }, 50, whole), { from: 90, to: 100 });
  assert.deepEqual(panned({ from: 10, to: 20 }, -50, whole), { from: 0, to: 10 });
  assert.deepEqual(zoomed({ from: 20, to: 60 }, 0.5, 30, whole), { from: 25, to: 45 });
  assert.deepEqual(zoomed({ from: 20, to: 60 }, 100, 30, whole), whole);
  assert.ok(within({ from: 5, to: 5 }, whole).to > 5);
});
