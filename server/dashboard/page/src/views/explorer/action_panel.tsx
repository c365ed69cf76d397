// What can be done next: an action of the list, whole pipelines, a pipeline written out, or a search.
import { useMemo, useState } from 'preact/hooks';
import type { Explorer, ExplorerAction } from '../../api/shapes_explorer';
import { count, plural } from '../../format/number';
import { Panel } from '../../ui/panel';
import type { ExplorerState } from './use_explorer';

const kMostShown = 200;
const kMostSteps = 20_000;

export function ActionPanel({ explorer, state }: { explorer: Explorer; state: ExplorerState }) {
  const [text, setText] = useState('');
  const all = useMemo((): ExplorerAction[] => [...explorer.whole_pipelines.map((one) => ({ ...one, level: 'whole' })), ...explorer.actions], [explorer]);
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
    return all.filter((action) => words.every((word) => `${action.name} ${action.level}`.toLowerCase().includes(word)));
  }, [all, text]);
  return (
    <Panel title={`Actions (${count(found.length)} of ${count(all.length)})`}>
      <div class="stack">
        <form class="filters" onSubmit={(event) => {
          event.preventDefault();
          const only = found.length === 1 ? found[0] : found.find((action) => action.name === text.trim());
          const pipeline = only?.pipeline ?? text.trim();
          if (pipeline !== '' && !state.busy) {
            state.step([pipeline]);
          }
        }}>
          <label>
            <span class="unseen">Action, or a pipeline written out</span>
            <input type="search" placeholder="sroa, or function(sroa,gvn)" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <button type="submit" class="primary" disabled={state.busy || text.trim() === ''}>Apply</button>
        </form>
        <div class="rows action-list" tabIndex={0} role="region" aria-label="Actions">
          <ul>
            {found.slice(0, kMostShown).map((action) => (
              <li key={action.name}>
                <button type="button" class="plain mono" disabled={state.busy} title={action.pipeline} onClick={() => state.step([action.pipeline])}>{action.name}</button>
                <span class="quiet"> {action.level.replaceAll('_', ' ')}</span>
              </li>
            ))}
          </ul>
          {found.length > kMostShown ? <p class="quiet">{count(found.length - kMostShown)} more: type a part of the name.</p> : null}
        </div>
      </div>
    </Panel>
  );
}

export function SearchPanel({ explorer, state }: { explorer: Explorer; state: ExplorerState }) {
  const [kind, setKind] = useState<'greedy' | 'random'>('greedy');
  const [steps, setSteps] = useState(500);
  const [length, setLength] = useState(10);
  const { progress } = state;
  return (
    <Panel title="Search from here">
      <form class="stack" onSubmit={(event) => { event.preventDefault(); state.find(explorer.actions, { kind, steps, length }); }}>
        <div class="filters">
          <label>
            kind
            <select value={kind} onChange={(event) => setKind(event.currentTarget.value === 'random' ? 'random' : 'greedy')}>
              <option value="greedy">greedy</option>
              <option value="random">random walks</option>
            </select>
          </label>
          <label>steps <input type="number" min={1} max={kMostSteps} value={steps} onInput={(event) => setSteps(clamp(event.currentTarget.valueAsNumber, kMostSteps))} /></label>
          {kind === 'random' ? <label>a walk's length <input type="number" min={1} max={100} value={length} onInput={(event) => setLength(clamp(event.currentTarget.valueAsNumber, 100))} /></label> : null}
          <button type="submit" class="primary" disabled={state.busy}>Search</button>
          <button type="button" disabled={!state.busy || progress === null} onClick={state.stop}>Stop</button>
        </div>
        <p role="status" class="quiet">
          {progress === null
            ? 'Fewest instructions, on a copy of the session; what it finds is walked here.'
            : `${plural(progress.steps, 'step')}, ${count(progress.failures)} failed; fewest instructions ${count(progress.best)} behind ${plural(progress.path.length, 'pipeline')}`}
        </p>
      </form>
    </Panel>
  );
}

function clamp(value: number, most: number): number {
  return Number.isFinite(value) ? Math.max(1, Math.min(most, Math.round(value))) : 1;
}
