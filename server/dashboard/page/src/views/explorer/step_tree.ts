// The part of a program's phase-ordering tree that was walked: the root is the program as it came, an edge is a
// pipeline, a node what it led to. One session walks it: from any node to any other by undoing to where
// their paths part and stepping from there, since a state is a function of program and history alone.
export interface StepNode {
  id: number;
  parent: number | null;
  pipeline: string; // '' of the root
  depth: number;
  outcome: string; // 'ok' or how it failed; a failure stands where it happened and cannot be walked to
  reason: string;
  changed: boolean;
  instructions: number | null;
  features: number[] | null;
  rewards: Record<string, number>; // of the step
  total: Record<string, number>; // of the episode so far
}

export interface StepTree {
  nodes: StepNode[];
  at: number;
}

export function rootOf(instructions: number | null, features: number[] | null): StepTree {
  const root: StepNode = {
    id: 0, parent: null, pipeline: '', depth: 0, outcome: 'ok', reason: '', changed: false, instructions, features, rewards: {}, total: {},
  };
  return { nodes: [root], at: 0 };
}

export function childOf(tree: StepTree, parent: number, pipeline: string): StepNode | null {
  return tree.nodes.find((node) => node.parent === parent && node.pipeline === pipeline) ?? null;
}

export function childrenOf(tree: StepTree, parent: number): StepNode[] {
  return tree.nodes.filter((node) => node.parent === parent);
}

// From the root to the node, both included.
export function pathOf(tree: StepTree, id: number): StepNode[] {
  const path: StepNode[] = [];
  for (let node = tree.nodes[id]; node; node = node.parent === null ? undefined : tree.nodes[node.parent]) {
    path.unshift(node);
  }
  return path;
}

// What leads from one node to another.
export function wayTo(tree: StepTree, from: number, to: number): { undo: number; pipelines: string[] } {
  const here = pathOf(tree, from);
  const there = pathOf(tree, to);
  let common = 0;
  while (common < here.length && common < there.length && here[common]?.id === there[common]?.id) {
    common += 1;
  }
  return { undo: here.length - common, pipelines: there.slice(common).map((node) => node.pipeline) };
}

export type NewNode = Omit<StepNode, 'id' | 'parent' | 'depth' | 'pipeline'>;

// The same step again replaces what was known of it. The tree's place moves to the node if it can be walked to.
export function added(tree: StepTree, parent: number, pipeline: string, node: NewNode): StepTree {
  const before = childOf(tree, parent, pipeline);
  const own: StepNode = {
    ...node,
    id: before?.id ?? tree.nodes.length,
    parent,
    pipeline,
    depth: (tree.nodes[parent]?.depth ?? 0) + 1,
  };
  const nodes = before ? tree.nodes.map((one) => (one.id === own.id ? own : one)) : [...tree.nodes, own];
  return { nodes, at: node.outcome === 'ok' ? own.id : parent };
}

export function best(tree: StepTree): StepNode | null {
  return tree.nodes.reduce<StepNode | null>(
    (least, node) => (node.instructions !== null && node.outcome === 'ok' && (least === null || node.instructions < (least.instructions ?? Infinity)) ? node : least),
    null,
  );
}
