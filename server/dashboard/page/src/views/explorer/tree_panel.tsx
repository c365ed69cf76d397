import type { ExplorerState } from './use_explorer';
import { childrenOf, type StepNode, type StepTree } from './step_tree';
import { count, signed } from '../../format/number';
import { Panel } from '../../ui/panel';

export function TreePanel({ state, tree }: { state: ExplorerState; tree: StepTree }) {
  const root = tree.nodes[0];
  const at = tree.nodes[tree.at];
  return (
    <Panel
      title="Walked tree"
      actions={
        <>
          <button type="button" disabled={state.busy || at?.parent === null} onClick={() => { if (at && at.parent !== null) { state.go(at.parent); } }}>Undo</button>
          <button type="button" disabled={state.busy || tree.at === 0} onClick={() => state.go(0)}>Back to the program</button>
        </>
      }
    >
      <div class="steps">
        {root ? <ul><Node tree={tree} node={root} state={state} /></ul> : null}
      </div>
    </Panel>
  );
}

function Node({ tree, node, state }: { tree: StepTree; node: StepNode; state: ExplorerState }) {
  const children = childrenOf(tree, node.id);
  const before = node.parent === null ? null : (tree.nodes[node.parent]?.instructions ?? null);
  const change = node.instructions !== null && before !== null ? node.instructions - before : null;
  // A chain of only children stands in one column, as a story does; only a fork is indented.
  const chain = children.length === 1;
  return (
    <>
      <li>
        <button type="button" class="node" aria-current={tree.at === node.id ? 'true' : undefined} disabled={state.busy || node.outcome !== 'ok'} onClick={() => state.go(node.id)}>
          {node.pipeline === '' ? 'program' : node.pipeline}
        </button>{' '}
        {node.outcome !== 'ok' ? (
          <span class="loss">{node.outcome.replaceAll('_', ' ')}: {node.reason}</span>
        ) : (
          <span class="quiet">
            {node.instructions === null ? 'not counted' : count(node.instructions)}{' '}
            {change === null ? '' : change === 0 ? (node.changed ? '(changed, no fewer)' : '(no change)') : <span class={change < 0 ? 'gain' : 'loss'}>{signed(change, 0)}</span>}
          </span>
        )}
        {chain ? null : children.length > 0 ? <ul>{children.map((child) => <Node key={child.id} tree={tree} node={child} state={state} />)}</ul> : null}
      </li>
      {chain && children[0] ? <Node tree={tree} node={children[0]} state={state} /> : null}
    </>
  );
}
