import assert from 'node:assert/strict';
import test from 'node:test';
import type { SessionState } from '../src/api/shapes_explorer';
import { search, type Walker } from '../src/views/explorer/search';
import { added, best, pathOf, rootOf, wayTo, type NewNode } from '../src/views/explorer/step_tree';

const ok = (instructions: number): NewNode => ({ outcome: 'ok', reason: '', changed: true, instructions, features: null, rewards: {}, total: {} });

test('any node leads to any other by what is common', () => {
  let tree = rootOf(100, null);
  tree = added(tree, 0, 'a', ok(90)); // 1
  tree = added(tree, 1, 'b', ok(80)); // 2
  tree = added(tree, 1, 'c', ok(70)); // 3
  assert.deepEqual(wayTo(tree, 2, 3), { undo: 1, pipelines: ['c'] });
  assert.deepEqual(wayTo(tree, 3, 0), { undo: 2, pipelines: [] });
  assert.deepEqual(wayTo(tree, 0, 2), { undo: 0, pipelines: ['a', 'b'] });
  assert.deepEqual(wayTo(tree, 2, 2), { undo: 0, pipelines: [] });
  assert.deepEqual(pathOf(tree, 3).map((node) => node.pipeline), ['', 'a', 'c']);
  assert.equal(best(tree)?.id, 3);
});

test('a step that failed is kept, and nobody stands there; the same step again replaces it', () => {
  let tree = rootOf(100, null);
  tree = added(tree, 0, 'a', { ...ok(0), outcome: 'crashed', reason: 'signal 11', instructions: null });
  assert.equal(tree.at, 0);
  tree = added(tree, 0, 'a', ok(90));
  assert.equal(tree.nodes.length, 2);
  assert.equal(tree.at, 1);
});

// Each pipeline takes its own number away, once.
function walker(): Walker & { history: string[]; deepest: number } {
  const own = { history: [] as string[], deepest: 0 };
  const state = (applied: number, changed: boolean): SessionState => ({
    session: 's', outcome: 'ok', applied, changed, length: own.history.length,
    observations: { IrInstructionCount: 100 - [...new Set(own.history)].reduce((sum, name) => sum + Number(name), 0) },
  });
  return Object.assign(own, {
    step: async (pipelines: string[]) => {
      const changed = pipelines.some((name) => !own.history.includes(name) && name !== '0');
      own.history.push(...pipelines);
      own.deepest = Math.max(own.deepest, own.history.length);
      return state(pipelines.length, changed);
    },
    undo: async (count: number) => {
      own.history.splice(own.history.length - count);
      return state(0, true);
    },
  });
}

const actions = ['0', '5', '10'].map((name) => ({ name, pipeline: name, level: 'function' }));
const options = { length: 4, from: 100, random: () => 0.5, stopped: () => false, told: () => undefined };

test('greedy takes the best action until none helps, within its budget', async () => {
  const found = await search(walker(), actions, { ...options, kind: 'greedy', steps: 1000 });
  assert.deepEqual(found.path, ['10', '5']);
  assert.equal(found.best, 85);
  assert.equal(found.steps, 9);
  const short = await search(walker(), actions, { ...options, kind: 'greedy', steps: 2 });
  assert.deepEqual([short.steps, short.path], [2, ['5']]);
});

test('random walks keep to their length and budget, and end when they are stopped', async () => {
  const own = walker();
  const found = await search(own, actions, { ...options, kind: 'random', steps: 10, random: (() => { let at = 0; return () => [0.9, 0.4, 0.1][at++ % 3] as number; })() });
  assert.equal(found.steps, 10);
  assert.equal(own.deepest, 4);
  assert.equal(found.best, 85);
  assert.deepEqual(found.path, ['10', '5']);
  let left = 3;
  const stopped = await search(walker(), actions, { ...options, kind: 'random', steps: 1000, stopped: () => (left -= 1) < 0 });
  assert.ok(stopped.steps <= 3);
});
