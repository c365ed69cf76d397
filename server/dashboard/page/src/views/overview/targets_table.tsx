import { useMemo } from 'preact/hooks';
import type { OverviewTarget, TrendPoint } from '../../api/shapes_overview';
import { count } from '../../format/number';
import { ago, moment } from '../../format/time';
import { pathTo } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { IntervalMark, reachOf, RewardText } from '../../ui/interval';
import { Trend } from './trend';

const kOrder: Order = { key: 'gain', down: true };

function columnsOf(targets: readonly OverviewTarget[], trend: readonly TrendPoint[], now: number): Column[] {
  const reach = reachOf(targets.map((target) => target.best?.reward));
  const trends = new Map<string, TrendPoint[]>();
  for (const point of trend) {
    trends.set(point.target, [...(trends.get(point.target) ?? []), point]);
  }
  const at = (row: number): OverviewTarget => targets[row] as OverviewTarget;
  return [
    {
      key: 'name', title: 'target', width: 170, sort: (row) => at(row).name,
      cell: (row) => <a href={pathTo('targets', at(row).name)}>{at(row).name}</a>,
    },
    {
      key: 'gain', title: 'best verified gain', about: 'confirmed on fresh pairs, with its interval', width: 176, number: true,
      sort: (row) => at(row).best?.reward.value ?? null,
      cell: (row) => {
        const best = at(row).best;
        return best ? (
          <a href={pathTo('candidates', best.candidate)}><RewardText reward={best.reward} /></a>
        ) : (
          <span class="quiet">none confirmed</span>
        );
      },
    },
    { key: 'mark', title: 'interval', width: 136, cell: (row) => <IntervalMark reward={at(row).best?.reward} reach={reach} /> },
    { key: 'against', title: 'against', width: 76, sort: (row) => at(row).best?.baseline ?? null, cell: (row) => at(row).best?.baseline ?? '–' },
    { key: 'trend', title: 'campaigns, oldest first', width: 180, cell: (row) => <Trend points={trends.get(at(row).name) ?? []} /> },
    {
      key: 'policy', title: 'policy', width: 116, sort: (row) => at(row).promoted_version,
      cell: (row) => {
        const target = at(row);
        return target.policies === 0 ? (
          <span class="quiet">none</span>
        ) : (
          <a href={pathTo('policies', target.name)}>
            {target.promoted_version === null ? 'not promoted' : `v${target.promoted_version} in force`}
          </a>
        );
      },
    },
    {
      key: 'campaigns', title: 'campaigns', width: 104, number: true, sort: (row) => at(row).campaigns,
      cell: (row) => (
        <>
          {at(row).running > 0 ? <Badge word={`${at(row).running} running`} tone="accent" /> : null} {count(at(row).campaigns)}
        </>
      ),
    },
    {
      key: 'measured', title: 'last measured', width: 116, sort: (row) => at(row).last_measured_at,
      cell: (row) => <span title={moment(at(row).last_measured_at)}>{ago(at(row).last_measured_at, now)}</span>,
    },
  ];
}

export function TargetsTable({ targets, trend, now }: { targets: OverviewTarget[]; trend: TrendPoint[]; now: number }) {
  const columns = useMemo(() => columnsOf(targets, trend, now), [targets, trend, now]);
  const [order, setOrder] = useOrder('order', columns, kOrder);
  return (
    <DataTable
      caption="Targets"
      columns={columns}
      rows={range(targets.length)}
      order={order}
      onOrder={setOrder}
      height={560}
      empty="No target yet: `hone tune` in a product's folder registers one."
    />
  );
}
