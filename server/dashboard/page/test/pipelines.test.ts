import assert from 'node:assert/strict';
import test from 'node:test';
import { forestText, parseForest } from '../src/pipeline/forest';
import { countChanges, diffPipelines, type DiffNode } from '../src/pipeline/forest_diff';
import { onePartLess } from '../src/pipeline/rule_parts';
import { diffRules } from '../src/pipeline/rules_diff';
import { sequenceDiff } from '../src/pipeline/sequence_diff';

const outline = (nodes: DiffNode[]): string =>
  nodes.map((node) => `${{ same: '', added: '+', removed: '-' }[node.kind]}${node.name}${node.children.length > 0 ? `(${outline(node.children)})` : ''}`).join(' ');

test('a pipeline is read as a forest and written as it was', () => {
  for (const text of ['', 'sroa', 'default<O3>,function(sroa,gvn<no-pre;load-pre>),cgscc(inline<only-mandatory>)', 'function(loop-mssa(licm<allow<x,y>>))']) {
    assert.equal(forestText(parseForest(text) ?? []), text);
  }
  assert.equal(parseForest('function(sroa')?.length, undefined);
  assert.equal(parseForest('sroa)'), null);
  assert.equal(parseForest('a<b'), null);
  assert.equal(parseForest('(a)'), null);
  assert.equal(parseForest(`${'f('.repeat(100)}a${')'.repeat(100)}`), null);
});

test('one changed pass within an adaptor is one change', () => {
  const diff = diffPipelines('function(sroa,gvn,licm)', 'function(sroa,dce,licm)');
  assert.equal(outline(diff), 'function(sroa -gvn +dce licm)');
  assert.deepEqual(countChanges(diff), { added: 1, removed: 1 });
  assert.equal(diff[0]?.changed, true);
});

test('equal parts are matched to each other and not to a namesake before them', () => {
  assert.equal(outline(diffPipelines('function(a),function(b)', 'function(b)')), '-function(-a) function(b)');
  assert.equal(outline(diffPipelines('function(b)', 'function(a),function(b)')), '+function(+a) function(b)');
});

test('a pass and an adaptor of one name are different things', () => {
  assert.equal(outline(diffPipelines('function', 'function(a)')), '-function +function(+a)');
});

test('text that is no pipeline is compared as it is', () => {
  assert.equal(outline(diffPipelines('<script>(', 'sroa')), '-<script>( +sroa');
});

test('a difference of lists leads from one to the other, by the fewest steps', () => {
  let state = 1;
  const random = (below: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
  for (let round = 0; round < 200; round += 1) {
    const list = (): string[] => Array.from({ length: random(12) }, () => 'abc'[random(3)] as string);
    const [left, right] = [list(), list()];
    const steps = sequenceDiff(left, right);
    assert.deepEqual(steps.flatMap((step) => (step.kind === 'removed' ? [] : [right[step.right]])), right);
    assert.deepEqual(steps.flatMap((step) => (step.kind === 'added' ? [] : [left[step.left]])), left);
    assert.equal(steps.filter((step) => step.kind === 'same').length, common(left, right));
  }
});

// Recursion over all choices, for short lists.
function common(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) {
    return 0;
  }
  const [a, ...restLeft] = left;
  const [b, ...restRight] = right;
  return a === b ? 1 + common(restLeft, restRight) : Math.max(common(restLeft, right), common(left, restRight));
}

test('rules are compared file by file, and what changed comes first', () => {
  const diffs = diffRules(
    [{ source: 'a.c', pipeline: 'default<O3>', knobs: { x: '1', y: '2' } }, { source: 'b.c', pipeline: 'sroa' }],
    [{ source: 'b.c', pipeline: 'sroa' }, { source: 'a.c', pipeline: 'default<O3>', knobs: { x: '1', y: '3' } }, { source: 'c.c', pipeline: 'default<O3>,dce' }],
    'default<O3>',
  );
  assert.deepEqual(diffs.map((diff) => [diff.where, diff.kind]), [['a.c', 'changed'], ['c.c', 'added'], ['b.c', 'same']]);
  assert.deepEqual(diffs[0]?.knobs, [{ name: 'x', before: '1', after: '1' }, { name: 'y', before: '2', after: '3' }]);
  assert.equal(outline(diffs[1]?.pipeline ?? []), 'default<O3> +dce');
});

test('an ablation is the same rules less one part, and nothing else', () => {
  const whole = [{ source: 'a.c', pipeline: 'default<O3>', knobs: { x: '1', y: '2' } }];
  assert.deepEqual(onePartLess(whole, [{ source: 'a.c', pipeline: 'default<O3>', knobs: { x: '1' } }]), { where: 'a.c', what: '-y=2' });
  assert.equal(onePartLess(whole, [{ source: 'a.c', pipeline: 'default<O3>', knobs: { x: '9' } }]), null);
  assert.equal(onePartLess(whole, [{ source: 'b.c', pipeline: 'default<O3>', knobs: { x: '1' } }]), null);
  assert.equal(onePartLess(whole, whole), null);
});
