import assert from 'node:assert/strict';
import test from 'node:test';
import type { CandidateColumns } from '../src/api/shapes_campaign';
import { searchCurve } from '../src/views/campaign/best_so_far';
import { filterRows } from '../src/views/campaign/filter';
import { mergeCandidates } from '../src/views/campaign/merge';
import { originRows } from '../src/views/campaign/origins';

// Candidates of which only what is given is known.
function columns(rows: Partial<{ [K in keyof CandidateColumns]: CandidateColumns[K][number] }>[]): CandidateColumns {
  const keys: (keyof CandidateColumns)[] = [
    'id', 'set', 'index', 'origin', 'note', 'rules', 'log_propensity', 'finalist', 'state', 'outcome', 'reason', 'verdict', 'reward', 'low', 'high', 'pairs', 'noise',
    'measured_at', 'build_seconds', 'measure_seconds', 'text_bytes', 'baseline_text_bytes', 'confirm_state', 'confirm_verdict', 'confirm_reward', 'confirm_low', 'confirm_high', 'confirmed_at',
  ];
  return Object.fromEntries(keys.map((key) => [key, rows.map((row) => row[key] ?? null)])) as unknown as CandidateColumns;
}

const measured = (id: string, at: number, value: number, cost: number) => ({
  id, measured_at: at, reward: value, low: value - 1, high: value + 1, build_seconds: cost, measure_seconds: cost, outcome: 'ok', verdict: 'inconclusive', state: 'done', origin: 'knob', set: 0, index: at,
});

test('the best so far never falls, in the order of measuring, and has the interval of the best', () => {
  const table = columns([measured('c', 3, 2, 1), measured('a', 1, 1, 5), measured('b', 2, -4, 2), { id: 'waits' }, { id: 'failed', measured_at: 4, outcome: 'build_failed', build_seconds: 7 }]);
  const curve = searchCurve(table, 'order');
  assert.deepEqual(curve.rows, [1, 2, 0, 4]);
  assert.deepEqual(curve.reward, [1, -4, 2, null]);
  assert.deepEqual(curve.best, [1, 1, 2, 2]);
  assert.deepEqual(curve.low, [0, 0, 1, 1]);
  assert.deepEqual(searchCurve(table, 'spent').x, [10, 14, 16, 23]);
  const cost = searchCurve(table, 'cost');
  assert.deepEqual(cost.rows, [0, 2, 4, 1]);
  assert.deepEqual(cost.best, [null, null, null, null]);
});

test('an equal binary stands at zero, a failure nowhere, and neither is the best so far', () => {
  const curve = searchCurve(columns([{ id: 'same', measured_at: 1, outcome: 'ok', verdict: 'no_change' }, { id: 'failed', measured_at: 2, outcome: 'miscompiled' }]), 'order');
  assert.deepEqual(curve.reward, [0, null]);
  assert.deepEqual(curve.same, [true, false]);
  assert.deepEqual(curve.best, [null, null]);
});

test('what changed is laid over what was there, and new candidates are added', () => {
  const old = { rows: 2, columns: columns([measured('a', 1, 1, 1), measured('b', 2, 2, 1)]) };
  const merged = mergeCandidates(old, { rows: 2, columns: columns([measured('b', 2, 9, 1), measured('c', 3, 3, 1)]) });
  assert.equal(merged.rows, 3);
  assert.deepEqual(merged.columns.id, ['a', 'b', 'c']);
  assert.deepEqual(merged.columns.reward, [1, 9, 3]);
  assert.deepEqual(old.columns.reward, [1, 2]);
  assert.equal(mergeCandidates(old, { rows: 0, columns: columns([]) }), old);
});

test('filters by text, verdict and origin', () => {
  const table = columns([{ ...measured('a', 1, 1, 1), note: 'lib/lz4.c: LICM' }, { id: 'b', outcome: 'build_failed', reason: 'licm broke', origin: 'tail' }, measured('c', 2, 1, 1)]);
  assert.deepEqual(filterRows(table, { text: 'licm', standing: '', origin: '' }), [0, 1]);
  assert.deepEqual(filterRows(table, { text: 'licm lz4', standing: '', origin: '' }), [0]);
  assert.deepEqual(filterRows(table, { text: '', standing: 'build_failed', origin: '' }), [1]);
  assert.deepEqual(filterRows(table, { text: '', standing: '', origin: 'knob' }), [0, 2]);
});

test('a failure, an equal binary and a reward are three things', () => {
  const [knob] = originRows(columns([measured('a', 1, 3, 1), { id: 'b', origin: 'knob', outcome: 'ok', verdict: 'no_change' }, { id: 'c', origin: 'knob', outcome: 'miscompiled' }, measured('d', 2, 0, 1)]));
  assert.deepEqual(
    { tried: knob?.tried, failed: knob?.failed, same: knob?.same, gains: knob?.gains, median: knob?.median, best: knob?.best?.value },
    { tried: 4, failed: 1, same: 1, gains: 1, median: 1.5, best: 3 },
  );
});
