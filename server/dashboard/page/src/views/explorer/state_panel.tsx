// What the state is that the session stands in: instructions, rewards of the step and of the way so far, features.
import { useMemo, useState } from 'preact/hooks';
import { count, significant, signed } from '../../format/number';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range } from '../../table/use_order';
import { Figure, Panel } from '../../ui/panel';
import { featureRows } from './features';
import { best, type StepTree } from './step_tree';

const kOrder: Order = { key: 'index', down: false };

export function StatePanel({ tree, rewards }: { tree: StepTree; rewards: string[] }) {
  const node = tree.nodes[tree.at];
  const before = node?.parent === null || node?.parent === undefined ? null : (tree.nodes[node.parent] ?? null);
  const root = tree.nodes[0];
  const least = best(tree);
  const [changedOnly, setChangedOnly] = useState(false);
  const [order, setOrder] = useState<Order>(kOrder);
  const rows = useMemo(() => featureRows(node?.features ?? null, before?.features ?? null), [node, before]);
  const columns = useMemo((): Column[] => [
    { key: 'index', title: 'feature', width: 160, sort: (row) => row, cell: (row) => rows[row]?.name },
    { key: 'value', title: 'value', width: 80, number: true, sort: (row) => rows[row]?.value ?? null, cell: (row) => count(rows[row]?.value) },
    { key: 'change', title: 'by this step', width: 90, number: true, sort: (row) => rows[row]?.change ?? null, cell: (row) => { const change = rows[row]?.change ?? 0; return change === 0 ? <span class="quiet">0</span> : signed(change, 0); } },
  ], [rows]);
  if (!node) {
    return null;
  }
  return (
    <Panel title="State" actions={<button type="button" aria-pressed={changedOnly} onClick={() => setChangedOnly(!changedOnly)}>Only what the step changed</button>}>
      <div class="stack">
        <div class="figures">
          <Figure value={count(node.instructions)} label={`instructions${root?.instructions ? ` of ${count(root.instructions)} at first` : ''}`} />
          <Figure value={least ? count(least.instructions) : '–'} label="fewest in the walked tree" />
          <Figure value={String(node.depth)} label="pipelines" />
        </div>
        <table class="plain-table">
          <caption class="unseen">Rewards</caption>
          <thead><tr><th scope="col">reward</th><th scope="col" class="number">this step</th><th scope="col" class="number">so far</th></tr></thead>
          <tbody>
            {rewards.map((reward) => (
              <tr key={reward}>
                <th scope="row">{reward}</th>
                <td class="number">{rewardText(node.rewards[reward])}</td>
                <td class="number">{rewardText(node.total[reward])}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <DataTable caption="Autophase features" columns={columns} rows={range(rows.length).filter((row) => !changedOnly || rows[row]?.change !== 0)} order={order} onOrder={setOrder} height={300} empty={changedOnly ? 'This step changed none of them.' : 'No features were observed.'} />
      </div>
    </Panel>
  );
}

function rewardText(value: number | undefined): string {
  return value === undefined ? '–' : significant(value);
}
