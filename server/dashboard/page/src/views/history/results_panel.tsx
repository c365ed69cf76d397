// The results in the window, one by one, where they are few enough: each leads to its job.
import { useMemo } from 'preact/hooks';
import { useLoad } from '../../api/load';
import type { History } from '../../api/shapes_history';
import { count, significant } from '../../format/number';
import { moment } from '../../format/time';
import { pathTo } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { RewardText } from '../../ui/interval';
import { Panel, Waiting } from '../../ui/panel';
import { iso } from './history_tables';

const kOrder: Order = { key: 'at', down: true };

export function ResultsPanel({ path }: { path: string }) {
  const { data, error } = useLoad<History>(path);
  const columns = useMemo((): Column[] => {
    const own = data?.points.columns;
    if (!own) {
      return [];
    }
    const reward = (row: number) => {
      const [value, low, high] = [own.reward[row], own.reward_low?.[row], own.reward_high?.[row]];
      return typeof value === 'number' && typeof low === 'number' && typeof high === 'number' ? { value, low, high } : null;
    };
    return [
      { key: 'at', title: 'at', width: 140, sort: (row) => own.at[row] ?? null,
        cell: (row) => { const job = own.job?.[row]; const text = moment(iso(own.at[row] ?? 0)); return job ? <a href={pathTo('jobs', job)}>{text}</a> : text; } },
      { key: 'baseline', title: 'baseline', width: 100, number: true, sort: (row) => own.baseline[row] ?? null, cell: (row) => significant(own.baseline[row] ?? NaN) },
      { key: 'candidate', title: 'candidate', width: 100, number: true, sort: (row) => own.candidate[row] ?? null, cell: (row) => significant(own.candidate[row] ?? NaN) },
      { key: 'reward', title: 'reward', width: 170, number: true, sort: (row) => own.reward[row] ?? null, cell: (row) => <RewardText reward={reward(row)} /> },
      { key: 'verdict', title: 'verdict', width: 110, sort: (row) => own.verdict?.[row] ?? null, cell: (row) => <Badge word={own.verdict?.[row]} /> },
      { key: 'stage', title: 'stage', width: 80, sort: (row) => own.stage?.[row] ?? null, cell: (row) => own.stage?.[row] ?? '' },
      { key: 'version', title: 'version', width: 70, sort: (row) => own.version[row] ?? null, cell: (row) => `v${own.version[row]}` },
    ];
  }, [data]);
  const [order, setOrder] = useOrder('results', columns, kOrder);
  return (
    <Panel title={`Results in the window${data ? ` (${count(data.points.rows)})` : ''}`} flush>
      {!data ? <Waiting error={error} /> : data.bucketed ? <p class="empty">Too many to list: zoom in, or download them all as CSV.</p> : (
        <DataTable caption="Results in the window" columns={columns} rows={range(data.points.rows)} order={order} onOrder={setOrder} height={360} empty="None." />
      )}
    </Panel>
  );
}
