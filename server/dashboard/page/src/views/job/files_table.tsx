// What became of each file: tuned, or plain and why. A file that was meant to be tuned and was not comes first.
import { useMemo } from 'preact/hooks';
import type { Decision } from '../../api/shapes_campaign';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';

const kOrder: Order = { key: 'state', down: false };

function rank(decision: Decision): number {
  return decision.meant && !decision.tuned ? 0 : decision.tuned ? 1 : 2;
}

export function FilesTable({ decisions }: { decisions: Decision[] }) {
  const columns = useMemo((): Column[] => {
    const at = (row: number): Decision => decisions[row] as Decision;
    return [
      { key: 'source', title: 'file', width: 260, sort: (row) => at(row).source, cell: (row) => <span class="mono" title={at(row).output ?? ''}>{at(row).source}</span> },
      { key: 'state', title: 'compiled', width: 110, sort: (row) => rank(at(row)),
        cell: (row) => { const own = at(row); return own.tuned ? <Badge word="tuned" tone="accent" /> : own.meant ? <Badge word="fell back" tone="warn" /> : <Badge word="plain" />; } },
      { key: 'pipeline', title: 'pipeline', about: 'hash of its canonical form', width: 120, sort: (row) => at(row).pipeline_hash, cell: (row) => <span class="mono">{at(row).pipeline_hash?.slice(0, 12) ?? '–'}</span> },
      { key: 'state_id', title: 'module state', about: 'SHA-256 of the unoptimised bitcode', width: 120, sort: (row) => at(row).state_id, cell: (row) => <span class="mono" title={at(row).state_id ?? ''}>{at(row).state_id?.slice(0, 12) ?? '–'}</span> },
      { key: 'reason', title: 'reason', width: 220, sort: (row) => at(row).reason, cell: (row) => <span title={at(row).reason ?? ''}>{at(row).reason ?? ''}</span> },
    ];
  }, [decisions]);
  const [order, setOrder] = useOrder('files', columns, kOrder);
  return <DataTable caption="Files and what they were compiled with" columns={columns} rows={range(decisions.length)} order={order} onOrder={setOrder} height={360} empty="No compile was recorded." />;
}
