// The error budget of each service: what its objective allows, what of that is spent, and whether anything may be explored.
import { useMemo } from 'preact/hooks';
import type { Budget, Objective, ServiceRow } from '../../api/shapes_canary';
import { count, fixed, kNotMeasured, significant } from '../../format/number';
import { ago, moment, seconds } from '../../format/time';
import { pathTo } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { Meter } from '../../ui/meter';

const kOrder: Order = { key: 'left', down: false };

export function objectiveText(objective: Objective): string {
  const latency = objective.latency > 0 ? ` within ${seconds(objective.latency)}` : '';
  return `${significant(objective.good_share * 100, 5).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')} % good${latency}`;
}

export function windowText(objective: Objective): string {
  return seconds(objective.window_seconds).replace(/ 0 (h|min|s)$/, '');
}

// More than the whole is said, not cut off.
export function spentText(budget: Budget): string {
  return `${fixed((1 - budget.left_share) * 100, 1)} %`;
}

export function leftText(budget: Budget): string {
  return budget.left_share < 0 ? `overspent by ${fixed(-budget.left_share * 100, 1)} %` : `${fixed(budget.left_share * 100, 1)} % left`;
}

export function Exploration({ service, now }: { service: ServiceRow; now: number }) {
  if (!service.budget) {
    return <span class="quiet">not known yet</span>;
  }
  return service.stopped ? (
    <span title={service.stopped_since ? moment(service.stopped_since) : ''}>
      <Badge word="stopped" tone="loss" /> {service.stopped_since ? `since ${moment(service.stopped_since)}, ${ago(service.stopped_since, now)}` : 'since when is not known'}
    </span>
  ) : <Badge word="allowed" tone="gain" />;
}

export function BudgetTable({ services, now }: { services: ServiceRow[]; now: number }) {
  const columns = useMemo((): Column[] => {
    const at = (row: number): ServiceRow => services[row] as ServiceRow;
    const number = (read: (budget: Budget) => number) => ({
      number: true,
      sort: (row: number) => { const { budget } = at(row); return budget ? read(budget) : null; },
      cell: (row: number) => { const { budget } = at(row); return budget ? count(Math.round(read(budget))) : <span class="quiet">{kNotMeasured}</span>; },
    });
    return [
      { key: 'target', title: 'service', width: 150, sort: (row) => at(row).target, cell: (row) => <a href={pathTo('targets', at(row).target)}>{at(row).target}</a> },
      { key: 'objective', title: 'objective', width: 212, sort: (row) => at(row).objective.good_share, cell: (row) => objectiveText(at(row).objective) },
      { key: 'window', title: 'window', width: 96, sort: (row) => at(row).objective.window_seconds, cell: (row) => windowText(at(row).objective) },
      { key: 'spent', title: 'spent', width: 172, sort: (row) => at(row).budget ? 1 - (at(row).budget as Budget).left_share : null,
        cell: (row) => <Meter share={at(row).budget ? 1 - (at(row).budget as Budget).left_share : null} label={`error budget of ${at(row).target} that is spent`} {...(at(row).budget ? { text: spentText(at(row).budget as Budget) } : {})} /> },
      { key: 'left', title: 'remaining', width: 172, sort: (row) => at(row).budget?.left_share ?? null,
        cell: (row) => { const { budget } = at(row); return budget ? <span class={budget.spent ? 'loss' : ''}>{leftText(budget)}</span> : <span class="quiet">{kNotMeasured}</span>; } },
      { key: 'explores', title: 'exploration', width: 310, sort: (row) => (at(row).budget ? Number(at(row).stopped) : null), cell: (row) => <Exploration service={at(row)} now={now} /> },
      { key: 'requests', title: 'requests', width: 114, ...number((budget) => budget.requests) },
      { key: 'bad', title: 'bad', about: 'failed, or slower than the objective', width: 110, ...number((budget) => budget.bad) },
      { key: 'canary', title: 'by canary', about: 'bad ones that the canary served', width: 110, ...number((budget) => budget.bad_canary) },
      { key: 'allowed', title: 'allowed', about: 'bad ones that the objective allows of so many', width: 110, ...number((budget) => budget.allowed) },
      { key: 'at', title: 'looked at', width: 120, sort: (row) => at(row).budget_at,
        cell: (row) => <span title={moment(at(row).budget_at)}>{ago(at(row).budget_at, now)}</span> },
    ];
  }, [services, now]);
  const [order, setOrder] = useOrder('budgets', columns, kOrder);
  return <DataTable caption="Error budgets" columns={columns} rows={range(services.length)} order={order} onOrder={setOrder} height={300} empty="No service is described: `hone service set` says how one is reached." />;
}
