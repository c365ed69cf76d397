// A program's phase-ordering tree, walked by hand or by a search: what each pass makes of it, step by step.
import { ApiError, withQuery } from '../../api/client';
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

const kPath = '/v1/views/explorer';
const kRewards = ['IrInstructionCountO3', 'IrInstructionCountOz', 'IrInstructionCountLog'];

export function ExplorerView() {
  const { query } = usePlace();
  const named = query.get('program');
  const program = named !== null && /^[0-9a-f]{64}$/.test(named) ? named : null;
  const mayStep = useMay('step');
  const { data, error } = useLoad<Explorer>(kPath);
  // Its log is a thing of its own: a program that was just uploaded has none.
  const loggedPath = program ? withQuery(kPath, { program }) : null;
  const logged = useLoad<Explorer>(loggedPath);
  const unknown = logged.error instanceof ApiError && logged.error.status === 404;
  const steps = mayStep && data?.available === true;
  const rewards = kRewards.filter((reward) => data?.rewards.includes(reward) ?? false);
  const state = useExplorer(steps ? program : null, rewards, steps);
  const { tree } = state;
  return (
    <>
      <Head title="Explorer" sub={data?.compiler ? `${data.compiler}: pick passes, see what each makes of the program.` : ''}>
        {program ? <button type="button" onClick={logged.reload}>Reload the log</button> : null}
        {tree ? <WalkDownloads tree={tree} /> : null}
        <Downloads server={{ path: logged.data && loggedPath ? loggedPath : kPath, tables: ['programs', 'actions', 'transitions'] }} name="explorer" />
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
          {program === null ? (
            <p class="empty">Choose a program above.</p>
          ) : logged.data ? (
            <LoggedTree explorer={logged.data} step={tree && !state.busy ? state.step : null} />
          ) : unknown ? (
            <p class="empty">No session on this program was logged before.</p>
          ) : (
            <Waiting error={logged.error} />
          )}
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
