import { useMemo } from 'preact/hooks';
import { useLoad } from '../../api/load';
import type { PolicyRow } from '../../api/shapes_history';
import { count } from '../../format/number';
import { moment } from '../../format/time';
import { pathTo } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { Downloads } from '../../ui/downloads';
import { Failure, Head, Panel, Waiting } from '../../ui/panel';

const kPath = '/v1/views/policies';
const kOrder: Order = { key: 'at', down: true };

export function PolicyList() {
  const { data, error } = useLoad<{ policies: PolicyRow[] }>(kPath);
  const columns = useMemo((): Column[] => {
    const at = (row: number): PolicyRow => data?.policies[row] as PolicyRow;
    return [
      { key: 'target', title: 'target', width: 170, sort: (row) => at(row).target, cell: (row) => <a href={pathTo('policies', at(row).target)}>{at(row).target}</a> },
      { key: 'promoted', title: 'in force', width: 110, sort: (row) => at(row).promoted, cell: (row) => (at(row).promoted === null ? <span class="quiet">none</span> : `v${at(row).promoted}`) },
      { key: 'signed', title: 'signature', width: 100, cell: (row) => at(row).promoted === null ? '' : at(row).promoted_signed ? <Badge word="signed" tone="gain" /> : <Badge word="unsigned" tone="warn" /> },
      { key: 'newest', title: 'newest', width: 140, sort: (row) => at(row).newest,
        cell: (row) => { const { newest, promoted } = at(row); return newest === null ? '–' : newest === promoted ? `v${newest}` : <>v{newest} <Badge word="not promoted" tone="accent" /></>; } },
      { key: 'versions', title: 'versions', width: 80, number: true, sort: (row) => at(row).versions, cell: (row) => count(at(row).versions) },
      { key: 'at', title: 'last published', width: 140, sort: (row) => at(row).at, cell: (row) => moment(at(row).at) },
    ];
  }, [data]);
  const [order, setOrder] = useOrder('order', columns, kOrder);
  return (
    <>
      <Head title="Policies" sub="What builds are given, target by target. Launchers pull it; nobody reports back where it is in use.">
        <Downloads server={{ path: kPath, tables: ['policies'] }} name="policies" />
      </Head>
      {data ? (
        <>
          <Failure error={error} />
          <Panel title="Targets" flush><DataTable caption="Policies by target" columns={columns} rows={range(data.policies.length)} order={order} onOrder={setOrder} height={640} empty="No target yet." /></Panel>
        </>
      ) : <Waiting error={error} />}
    </>
  );
}
