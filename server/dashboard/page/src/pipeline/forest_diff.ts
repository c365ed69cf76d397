// Two pipelines as one tree in which every pass is kept, added or removed. Passes of one level are
// compared as a sequence; an adaptor (function(...), cgscc(...)) that stands on both sides is entered, so
// that one changed pass within it is one changed line and not two whole pipelines.
import { parseForest, forestText, type PassNode } from './forest';
import { sequenceDiff } from './sequence_diff';

export interface DiffNode {
  name: string;
  kind: 'same' | 'added' | 'removed';
  children: DiffNode[];
  changed: boolean; // itself or something below it
}

export function diffPipelines(left: string, right: string): DiffNode[] {
  const before = parseForest(left) ?? [{ name: left, children: [] }];
  const after = parseForest(right) ?? [{ name: right, children: [] }];
  return diffForests(before, after);
}

export function diffForests(before: readonly PassNode[], after: readonly PassNode[]): DiffNode[] {
  // First by whole text, so that equal parts are matched to each other, not to a namesake before them.
  const exact = sequenceDiff(before.map((node) => forestText([node])), after.map((node) => forestText([node])));
  const result: DiffNode[] = [];
  let removed: PassNode[] = [];
  let added: PassNode[] = [];
  const flush = (): void => {
    result.push(...diffChanged(removed, added));
    removed = [];
    added = [];
  };
  for (const step of exact) {
    if (step.kind === 'same') {
      flush();
      result.push(...all([before[step.left]], 'same'));
    } else if (step.kind === 'removed') {
      removed.push(...present(before[step.left]));
    } else {
      added.push(...present(after[step.right]));
    }
  }
  flush();
  return result;
}

// A stretch without an equal part: adaptors of one name are paired and entered.
function diffChanged(before: readonly PassNode[], after: readonly PassNode[]): DiffNode[] {
  const result: DiffNode[] = [];
  for (const step of sequenceDiff(before.map(key), after.map(key))) {
    if (step.kind === 'removed') {
      result.push(...all([before[step.left]], 'removed'));
    } else if (step.kind === 'added') {
      result.push(...all([after[step.right]], 'added'));
    } else {
      const left = before[step.left];
      const right = after[step.right];
      if (left && right) {
        const children = diffForests(left.children, right.children);
        result.push({ name: right.name, kind: 'same', children, changed: children.some((child) => child.changed) });
      }
    }
  }
  return result;
}

function key(node: PassNode): string {
  return `${node.name}/${node.children.length === 0 ? 'pass' : 'adaptor'}`;
}

function present(node: PassNode | undefined): PassNode[] {
  return node ? [node] : [];
}

function all(nodes: readonly (PassNode | undefined)[], kind: DiffNode['kind']): DiffNode[] {
  return nodes.flatMap(present).map((node) => ({
    name: node.name,
    kind,
    children: all(node.children, kind),
    changed: kind !== 'same',
  }));
}

export function countChanges(nodes: readonly DiffNode[]): { added: number; removed: number } {
  const sum = { added: 0, removed: 0 };
  for (const node of nodes) {
    const below = countChanges(node.children);
    sum.added += below.added + (node.kind === 'added' ? 1 : 0);
    sum.removed += below.removed + (node.kind === 'removed' ? 1 : 0);
  }
  return sum;
}
