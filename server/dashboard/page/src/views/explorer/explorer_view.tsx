// A program's phase-ordering tree, walked by hand or by a search: what each pass makes of it, step by step.
import { withQuery } from '../../api/client';
import { useLoad } from '../../api/load';
import type { Explorer } from '../../api/shapes_explorer';
import { setQuery, usePlace } from '../../route/router';
import { Downloads, OwnDownloads } from '../../ui/downloads';
import { Failure, Head, Waiting } from '../../ui/panel';
import { useMay } from '../../ui/who';
import { ActionPanel, SearchPanel } from './action_panel';
import { LoggedTree } from './logged_tree';
import { ProgramPanel } from './program_panel';
import { StatePanel } from './state_panel';
import { pathOf, type StepTree } from './step_tree';
import { TreePanel } from './tree_panel';
import { useExplorer } from './use_explorer';

const kRewards = ['IrInstructionCountO3', 'IrInstructionCountOz', 'IrInstructionCountLog'];

export function ExplorerView() {
  const { query } = usePlace();
  const named = query.get('program');
  const program = named !== null && /^[0-9a-f]{64}$/.test(named) ? named : null;
  const mayStep = useMay('step');
  const path = withQuery('/v1/views/explorer', { program });
  const { data, error, reload } = useLoad<Explorer>(path);
  const steps = mayStep && data?.available === true;
  const rewards = kRewards.filter((reward) => data?.rewards.includes(reward) ?? false);
  const state = useExplorer(steps ? program : null, rewards, steps);
  const { tree } = state;
  return (
    <>
      <Head title="Explorer" sub={data?.compiler ? `${data.compiler}: pick passes, see what each makes of the program.` : ''}>
        {program ? <button type="button" onClick={reload}>Reload the log</button> : null}
        {tree ? <WalkDownloads tree={tree} /> : null}
        <Downloads server={{ path, tables: ['programs', 'actions', 'transitions'] }} name="explorer" />
      </Head>
      {data ? (
        <>
          <Failure error={error} />
          <ProgramPanel explorer={data} program={program} mayStep={mayStep} />
          {!data.available ? <p class="note care">This coordinator serves no compile sessions: only what was logged can be seen.</p> : null}
          {!mayStep ? <p class="note">This token may look, not step: sessions need the role submitter or learner.</p> : null}
          <Failure error={state.error} />
          {program && tree ? (
            <div class="columns">
              <div class="w3 stack"><ActionPanel explorer={data} state={state} /></div>
              <div class="w5 stack"><TreePanel state={state} tree={tree} /><SearchPanel explorer={data} state={state} /></div>
              <div class="w4"><StatePanel tree={tree} rewards={rewards} /></div>
            </div>
          ) : program && state.busy ? <p class="empty" role="status">Opening a session</p> : null}
          {program ? <LoggedTree explorer={data} step={tree && !state.busy ? state.step : null} /> : <p class="empty">Choose a program above.</p>}
          {program ? <div><button type="button" onClick={() => setQuery({ program: null, path: null })}>Close this program</button></div> : null}
        </>
      ) : <Waiting error={error} />}
    </>
  );
}

function WalkDownloads({ tree }: { tree: StepTree }) {
  return (
    <span class="actions">
      <span class="quiet">walked tree</span>
      <OwnDownloads
        name="walked-tree"
        header={['node', 'parent', 'pipeline', 'outcome', 'instructions', ...kRewards, 'way']}
        rows={() => tree.nodes.map((node) => [node.id, node.parent, node.pipeline, node.outcome, node.instructions, ...kRewards.map((reward) => node.rewards[reward] ?? null), pathOf(tree, node.id).map((one) => one.pipeline).filter(Boolean).join(' ')])}
        document={() => tree}
      />
    </span>
  );
}
