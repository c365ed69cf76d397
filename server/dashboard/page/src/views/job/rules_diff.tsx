// The difference of two sets of rules as a tree: file, pipeline, pass. What is added is marked with a plus, what is
// gone with a minus, so that colour is never all there is.
import { useMemo, useState } from 'preact/hooks';
import type { Rule } from '../../api/shapes';
import type { DiffNode } from '../../pipeline/forest_diff';
import { diffRules, type RuleDiff } from '../../pipeline/rules_diff';

const kMarks = { added: '+ ', removed: '− ', same: '' };
const kSaid = { added: 'added: ', removed: 'removed: ', same: '' };
const kManyFiles = 30;

interface RulesDiffProps {
  before: Rule[];
  after: Rule[];
  plain: string;
}

export function RulesDiff({ before, after, plain }: RulesDiffProps) {
  const diffs = useMemo(() => diffRules(before, after, plain), [before, after, plain]);
  const [whole, setWhole] = useState(false);
  const [all, setAll] = useState(false);
  const changed = diffs.filter((diff) => diff.kind !== 'same');
  const listed = whole ? diffs : changed;
  const shown = all ? listed : listed.slice(0, kManyFiles);
  return (
    <div class="stack">
      <div class="actions">
        <span class="quiet">
          {changed.length === 0 ? 'No file is treated differently.' : `${changed.length} of ${diffs.length} rules differ.`}
        </span>
        <button type="button" aria-pressed={whole} onClick={() => setWhole(!whole)}>Show what is the same</button>
      </div>
      <div class="tree">
        <ul>
          {shown.map((diff) => <RuleItem key={diff.where} diff={diff} whole={whole} />)}
        </ul>
      </div>
      {listed.length > shown.length ? <button type="button" onClick={() => setAll(true)}>All {listed.length} files</button> : null}
    </div>
  );
}

function RuleItem({ diff, whole }: { diff: RuleDiff; whole: boolean }) {
  const knobs = whole ? diff.knobs : diff.knobs.filter((knob) => knob.before !== knob.after);
  // Of a rule that is new as a whole the tree says it once, not at each pass.
  return (
    <li>
      <span class="changed">{diff.where}</span>{' '}
      <span class="quiet">{diff.kind === 'added' ? '(was plain)' : diff.kind === 'removed' ? '(is plain now)' : ''}</span>
      <ul>
        <Passes nodes={diff.pipeline} whole={whole} />
        {knobs.map((knob) =>
          knob.before === knob.after ? (
            <li key={knob.name} class="same">-{knob.name}={knob.after}</li>
          ) : (
            <li key={knob.name}>
              {knob.before === null ? null : <del class="removed">− -{knob.name}={knob.before}</del>}{' '}
              {knob.after === null ? null : <ins class="added">+ -{knob.name}={knob.after}</ins>}
            </li>
          ),
        )}
      </ul>
    </li>
  );
}

function Passes({ nodes, whole }: { nodes: DiffNode[]; whole: boolean }) {
  return (
    <>
      {folded(nodes, whole).map((item, index) =>
        typeof item === 'number' ? (
          <li key={index} class="same">… {item} the same</li>
        ) : (
          <li key={index}>
            <span class={item.kind === 'same' ? (item.changed ? '' : 'same') : item.kind}>
              <span class="unseen">{kSaid[item.kind]}</span>
              <span aria-hidden="true">{kMarks[item.kind]}</span>
              {item.name}
            </span>
            {item.children.length > 0 && (whole || item.changed) ? (
              <ul><Passes nodes={item.children} whole={whole || item.kind !== 'same'} /></ul>
            ) : null}
          </li>
        ),
      )}
    </>
  );
}

// Runs of equal passes as their number, but for the neighbours of a change: a pass is known by its company.
function folded(nodes: readonly DiffNode[], whole: boolean): (DiffNode | number)[] {
  if (whole) {
    return [...nodes];
  }
  const near = (index: number): boolean => [index - 1, index, index + 1].some((place) => nodes[place]?.changed === true);
  const result: (DiffNode | number)[] = [];
  let run = 0;
  nodes.forEach((node, index) => {
    if (near(index)) {
      if (run > 0) {
        result.push(run);
      }
      run = 0;
      result.push(node);
    } else {
      run += 1;
    }
  });
  if (run > 0 && result.length > 0) {
    result.push(run);
  }
  return result;
}
