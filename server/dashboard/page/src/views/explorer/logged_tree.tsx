// What all sessions that were logged did with this program, by anybody: states and the pipelines between them.
import { useMemo } from 'preact/hooks';
import type { Explorer, Transition } from '../../api/shapes_explorer';
import { count, significant } from '../../format/number';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { Panel } from '../../ui/panel';

const kOrder: Order = { key: 'times', down: true };

export function LoggedTree({ explorer, step }: { explorer: Explorer; step: ((pipelines: string[]) => void) | null }) {
  const transitions = explorer.transitions ?? [];
  const instructions = useMemo(() => new Map((explorer.states ?? []).map((state) => [state.state_id, state.instructions])), [explorer]);
  const reward = useMemo(() => Object.keys(transitions.find((one) => one.rewards && Object.keys(one.rewards).length > 0)?.rewards ?? {})[0] ?? null, [transitions]);
  const columns = useMemo((): Column[] => {
    const at = (row: number): Transition => transitions[row] as Transition;
    const size = (state: string | null): number | null => (state === null ? null : (instructions.get(state) ?? null));
    const short = (state: string | null) => <span class="mono" title={state ?? ''}>{state === null ? '–' : state === explorer.root ? 'program' : state.slice(0, 8)}</span>;
    return [
      { key: 'from', title: 'from', width: 86, sort: (row) => at(row).from, cell: (row) => short(at(row).from) },
      { key: 'pipelines', title: 'pipelines', width: 320, sort: (row) => at(row).pipelines.join(), cell: (row) => step && at(row).from === explorer.root && at(row).outcome === 'ok'
        ? <button type="button" class="plain mono" title="Apply to where the session stands" onClick={() => step(at(row).pipelines)}>{at(row).pipelines.join(', ')}</button>
        : <span class="mono" title={at(row).pipelines.join(', ')}>{at(row).pipelines.join(', ')}</span> },
      { key: 'to', title: 'to', width: 86, sort: (row) => at(row).to, cell: (row) => short(at(row).to) },
      { key: 'instructions', title: 'instructions', width: 108, number: true, sort: (row) => size(at(row).to), cell: (row) => count(size(at(row).to)) },
      { key: 'outcome', title: 'outcome', width: 120, sort: (row) => at(row).outcome, cell: (row) => <span title={at(row).failed_pipeline ?? ''}><Badge word={at(row).outcome} /></span> },
      { key: 'times', title: 'times', width: 66, number: true, sort: (row) => at(row).times, cell: (row) => count(at(row).times) },
      { key: 'reward', title: reward ?? 'reward', width: 170, number: true, sort: (row) => (reward ? (at(row).rewards?.[reward] ?? null) : null),
        cell: (row) => { const value = reward ? at(row).rewards?.[reward] : undefined; return value === undefined ? '–' : significant(value); } },
    ];
  }, [transitions, instructions, reward, step, explorer.root]);
  const [order, setOrder] = useOrder('logged', columns, kOrder);
  return (
    <Panel title="Logged steps on this program, by everybody" flush>
      <DataTable caption="Logged steps" columns={columns} rows={range(transitions.length)} order={order} onOrder={setOrder} height={320} empty="No session on this program was logged." />
    </Panel>
  );
}
