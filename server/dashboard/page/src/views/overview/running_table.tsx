import { useMemo } from 'preact/hooks';
import type { RunningCampaign } from '../../api/shapes_overview';
import { count } from '../../format/number';
import { ago, moment, seconds } from '../../format/time';
import { pathTo } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { RewardText } from '../../ui/interval';
import { Meter } from '../../ui/meter';

const kOrder: Order = { key: 'end', down: false };

export function budgetText(campaign: { budget_candidates: number | null; budget_seconds: number | null }): string {
  const parts = [
    campaign.budget_candidates === null ? '' : `${count(campaign.budget_candidates)} candidates`,
    campaign.budget_seconds === null ? '' : seconds(campaign.budget_seconds),
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'no limit' : parts.join(', ');
}

export function RunningTable({ campaigns, now }: { campaigns: RunningCampaign[]; now: number }) {
  const columns = useMemo((): Column[] => {
    const at = (row: number): RunningCampaign => campaigns[row] as RunningCampaign;
    return [
      { key: 'target', title: 'campaign', width: 176, sort: (row) => at(row).target,
        cell: (row) => <a href={pathTo('campaigns', at(row).id)} title={`began ${moment(at(row).created_at)}`}>{at(row).target} <span class="mono">{at(row).id.slice(0, 8)}</span></a> },
      { key: 'state', title: 'state', width: 104, sort: (row) => at(row).state, cell: (row) => <Badge word={at(row).state} /> },
      { key: 'progress', title: 'progress', width: 150, sort: (row) => at(row).progress,
        cell: (row) => <Meter share={at(row).progress} label={`progress of ${at(row).target}`} /> },
      { key: 'budget', title: 'budget', width: 144, cell: (row) => budgetText(at(row)) },
      { key: 'done', title: 'measured', about: 'finished of those proposed', width: 124, number: true, sort: (row) => at(row).finished,
        cell: (row) => `${count(at(row).finished)} of ${count(at(row).candidates)}` },
      { key: 'failed', title: 'failed', width: 60, number: true, sort: (row) => at(row).failed, cell: (row) => count(at(row).failed) },
      { key: 'best', title: 'best in the race', about: 'the best of many flatters: it is confirmed on fresh pairs', width: 166, number: true,
        sort: (row) => at(row).best?.value ?? null, cell: (row) => <RewardText reward={at(row).best} /> },
      { key: 'end', title: 'estimated end', width: 110, sort: (row) => at(row).estimated_end,
        cell: (row) => at(row).estimated_end
          ? <span title={moment(at(row).estimated_end)}>{ago(at(row).estimated_end, now)}</span>
          : <span class="quiet">unknown</span> },
    ];
  }, [campaigns, now]);
  const [order, setOrder] = useOrder('running', columns, kOrder);
  return (
    <DataTable caption="Running campaigns" columns={columns} rows={range(campaigns.length)} order={order} onOrder={setOrder} height={380}
      empty="No campaign is running." />
  );
}
