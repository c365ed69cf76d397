import assert from 'node:assert/strict';
import test from 'node:test';
import { csv } from '../src/format/csv';
import { bytes, count, fixed, significant, signed } from '../src/format/number';
import { interval, percent, rewardText, side } from '../src/format/reward';
import { ago, seconds } from '../src/format/time';

test('what was not measured is said, and is no zero', () => {
  assert.equal(count(null), 'not measured');
  assert.equal(bytes(null), 'not measured');
  assert.equal(percent(null), 'not measured');
  assert.equal(rewardText(null), 'not measured');
  assert.equal(count(0), '0');
});

test('numbers', () => {
  assert.equal(fixed(-0.0001, 2), '0.00');
  assert.equal(fixed(-1.5, 1), '−1.5');
  assert.equal(signed(0, 1), '0.0');
  assert.equal(signed(0.04, 1), '0.0');
  assert.equal(signed(1.25, 1), '+1.3');
  assert.equal(significant(1234.567), '1235');
  assert.equal(significant(0.001234567), '0.001235');
  assert.equal(significant(0), '0');
  assert.equal(significant(1.5e-9), '1.500e−9');
  assert.equal(bytes(1023), '1023 bytes');
  assert.equal(bytes(1536), '1.500 KiB');
});

test('a reward is told as the command line tells it: in percent of speed, with its interval', () => {
  const reward = { value: Math.log(1.028), low: Math.log(1.003), high: Math.log(1.057) };
  assert.equal(rewardText(reward), '+2.8 % [+0.3, +5.7]');
  assert.equal(interval({ low: Math.log(0.982), high: 0 }), '[−1.8, 0.0]');
  assert.equal(side(reward), 'gain');
  assert.equal(side({ low: -0.1, high: 0 }), 'unsure');
  assert.equal(side({ low: -0.1, high: -0.01 }), 'loss');
  assert.equal(side(null), 'none');
});

test('times', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  assert.equal(ago('2026-01-01T23:55:00Z', now), '5 min ago');
  assert.equal(ago('2026-01-02T03:00:00Z', now), 'in 3 h');
  assert.equal(ago(null, now), 'never');
  assert.equal(seconds(0.0123), '12 ms');
  assert.equal(seconds(59.6), '1 min 0 s');
  assert.equal(seconds(90), '1 min 30 s');
  assert.equal(seconds(90000), '1 d 1 h');
});

test('no cell of a CSV is a formula, and quotes stay within', () => {
  assert.equal(csv(['a', 'b'], [['=1+1', 'x"y'], [-1, null], ['-x', 'a,b'], ['\tz', true]]), 'a,b\r\n\'=1+1,"x""y"\r\n-1,\r\n\'-x,"a,b"\r\n\'\tz,true\r\n');
});
