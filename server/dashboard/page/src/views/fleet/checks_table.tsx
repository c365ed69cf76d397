import { useMemo } from 'preact/hooks';
import type { CheckColumns } from '../../api/shapes_overview';
import { fixed, significant } from '../../format/number';
import { percentOf } from '../../format/reward';
import { moment } from '../../format/time';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { RewardText } from '../../ui/interval';

const kOrder: Order = { key: 'at', down: true };

export function ChecksTable({ checks, rows }: { checks: CheckColumns; rows: number[] }) {
  const columns = useMemo((): Column[] => {
    const reward = (row: number) => {
      const [value, low, high] = [checks.reward[row], checks.low[row], checks.high[row]];
      return typeof value === 'number' && typeof low === 'number' && typeof high === 'number' ? { value, low, high } : null;
    };
    return [
      { key: 'at', title: 'checked', width: 142, sort: (row) => checks.at[row] ?? null, cell: (row) => moment(new Date(checks.at[row] ?? 0).toISOString()) },
      { key: 'worker', title: 'worker', width: 130, sort: (row) => checks.worker[row] ?? null, cell: (row) => checks.worker[row] },
      { key: 'target', title: 'target', width: 130, sort: (row) => checks.target[row] ?? null, cell: (row) => `${checks.target[row]} v${checks.version[row]}` },
      { key: 'noise', title: 'noise', width: 80, number: true, sort: (row) => checks.noise[row] ?? null, cell: (row) => percentText(checks.noise[row]) },
      { key: 'reward', title: 'baseline against itself', about: 'an interval that leaves out zero is a false call', width: 170, number: true, sort: (row) => checks.reward[row] ?? null, cell: (row) => <RewardText reward={reward(row)} /> },
      { key: 'effect', title: 'could see', width: 90, number: true, sort: (row) => checks.detectable_effect[row] ?? null,
        cell: (row) => { const effect = checks.detectable_effect[row]; return typeof effect === 'number' ? `${fixed(percentOf(effect), 2)} %` : '–'; } },
      { key: 'value', title: 'baseline', about: 'median of the metric', width: 100, number: true, sort: (row) => checks.baseline_value[row] ?? null, cell: (row) => { const value = checks.baseline_value[row]; return typeof value === 'number' ? significant(value) : '–'; } },
      { key: 'verdict', title: 'verdict', width: 120, sort: (row) => checks.verdict[row] ?? null, cell: (row) => <Badge word={checks.verdict[row]} /> },
    ];
  }, [checks]);
  const [order, setOrder] = useOrder('checks', columns, kOrder);
  return <DataTable caption="Self-checks" columns={columns} rows={rows} order={order} onOrder={setOrder} height={360} empty="No self-check was made yet." />;
}

function percentText(value: number | null | undefined): string {
  return typeof value === 'number' ? `${fixed(value * 100, 2)} %` : '–';
}
