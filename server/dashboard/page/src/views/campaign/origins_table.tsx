import { useMemo } from 'preact/hooks';
import type { CandidateColumns } from '../../api/shapes_campaign';
import { count } from '../../format/number';
import { percent } from '../../format/reward';
import { pathTo } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { RewardText } from '../../ui/interval';
import { memo } from '../../ui/memo';
import { originRows, type OriginRow } from './origins';

const kOrder: Order = { key: 'tried', down: true };

export const OriginsTable = memo(function OriginsTable({ columns }: { columns: CandidateColumns }) {
  const rows = useMemo(() => originRows(columns), [columns]);
  const table = useMemo((): Column[] => {
    const at = (row: number): OriginRow => rows[row] as OriginRow;
    return [
      { key: 'origin', title: 'origin', width: 110, sort: (row) => at(row).origin, cell: (row) => at(row).origin },
      { key: 'tried', title: 'tried', width: 60, number: true, sort: (row) => at(row).tried, cell: (row) => count(at(row).tried) },
      { key: 'gains', title: 'gain', about: 'interval above zero, in the race', width: 60, number: true, sort: (row) => at(row).gains, cell: (row) => count(at(row).gains) },
      { key: 'losses', title: 'loss', width: 60, number: true, sort: (row) => at(row).losses, cell: (row) => count(at(row).losses) },
      { key: 'same', title: 'same binary', width: 90, number: true, sort: (row) => at(row).same, cell: (row) => count(at(row).same) },
      { key: 'failed', title: 'failed', width: 62, number: true, sort: (row) => at(row).failed, cell: (row) => count(at(row).failed) },
      { key: 'median', title: 'median', width: 80, number: true, sort: (row) => at(row).median, cell: (row) => (at(row).median === null ? '–' : percent(at(row).median)) },
      { key: 'best', title: 'best in the race', width: 180, number: true, sort: (row) => at(row).best?.value ?? null,
        cell: (row) => {
          const own = at(row);
          return own.bestRow === null ? <span class="quiet">–</span> : (
            <a href={pathTo('candidates', columns.id[own.bestRow] ?? '')}><RewardText reward={own.best} /></a>
          );
        } },
    ];
  }, [rows, columns]);
  const [order, setOrder] = useOrder('origins', table, kOrder);
  return <DataTable caption="Candidates by origin" columns={table} rows={range(rows.length)} order={order} onOrder={setOrder} height={300} empty="Nothing was measured yet." />;
});
