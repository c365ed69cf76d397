// What the chart shows, as tables: its changes, the target's versions, its campaigns.
import { useMemo } from 'preact/hooks';
import type { ChangePoint, History } from '../../api/shapes_history';
import { count, significant } from '../../format/number';
import { percent } from '../../format/reward';
import { moment } from '../../format/time';
import { pathTo } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { IntervalMark, reachOf, RewardText } from '../../ui/interval';
import type { VersionStep } from './history_series';

const kNewest: Order = { key: 'at', down: true };

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function ChangesTable({ changes, show }: { changes: ChangePoint[]; show: (change: ChangePoint) => void }) {
  const columns = useMemo((): Column[] => {
    const at = (row: number): ChangePoint => changes[row] as ChangePoint;
    const value = (change: ChangePoint, one: number): string => (change.of === 'reward' ? percent(one) : significant(one));
    return [
      { key: 'at', title: 'first at new level', width: 150, sort: (row) => at(row).at,
        cell: (row) => <button type="button" class="plain" onClick={() => show(at(row))}>{moment(iso(at(row).at))}</button> },
      { key: 'of', title: 'of', width: 76, sort: (row) => at(row).of, cell: (row) => at(row).of },
      { key: 'change', title: 'change', width: 84, number: true, sort: (row) => at(row).change, cell: (row) => percent(at(row).change) },
      { key: 'levels', title: 'from → to', width: 150, number: true, cell: (row) => `${value(at(row), at(row).before)} → ${value(at(row), at(row).after)}` },
      { key: 'version', title: 'version', width: 70, sort: (row) => at(row).version, cell: (row) => (at(row).version === null ? '–' : `v${at(row).version}`) },
      { key: 'between', title: 'not before', about: 'last at the old level', width: 142, sort: (row) => at(row).not_before, cell: (row) => moment(iso(at(row).not_before)) },
    ];
  }, [changes, show]);
  const [order, setOrder] = useOrder('changes', columns, kNewest);
  return <DataTable caption="Change points" columns={columns} rows={range(changes.length)} order={order} onOrder={setOrder} height={300} empty="No change of level was found." />;
}

export function VersionsTable({ history, steps, unit }: { history: History; steps: VersionStep[]; unit: string }) {
  const columns = useMemo((): Column[] => {
    const at = (row: number) => history.versions[row] as History['versions'][number];
    const step = (row: number): VersionStep | undefined => steps.find((one) => one.version === at(row).version);
    return [
      { key: 'version', title: 'version', width: 70, number: true, sort: (row) => at(row).version, cell: (row) => `v${at(row).version}` },
      { key: 'commit', title: 'commit or archive', width: 160, sort: (row) => at(row).commit ?? at(row).artifact,
        cell: (row) => <span class="mono" title={at(row).commit ?? at(row).artifact ?? ''}>{(at(row).commit ?? at(row).artifact ?? '–').slice(0, 12)}</span> },
      { key: 'median', title: `median (${unit})`, width: 150, number: true, sort: (row) => step(row)?.median ?? null, cell: (row) => { const own = step(row); return own ? significant(own.median) : <span class="quiet">not measured</span>; } },
      { key: 'quartiles', title: 'quartiles', width: 150, number: true, cell: (row) => { const own = step(row); return own ? `${significant(own.q1)} to ${significant(own.q3)}` : ''; } },
      { key: 'results', title: 'results', width: 80, number: true, sort: (row) => step(row)?.results ?? null, cell: (row) => count(step(row)?.results ?? 0) },
      { key: 'at', title: 'registered', width: 142, sort: (row) => at(row).at, cell: (row) => moment(iso(at(row).at)) },
    ];
  }, [history, steps, unit]);
  const [order, setOrder] = useOrder('versions', columns, { key: 'version', down: true });
  return <DataTable caption="Versions of the target" columns={columns} rows={range(history.versions.length)} order={order} onOrder={setOrder} height={300} empty="No version." />;
}

export function CampaignsTable({ campaigns }: { campaigns: History['campaigns'] }) {
  const columns = useMemo((): Column[] => {
    const at = (row: number) => campaigns[row] as History['campaigns'][number];
    const reward = (row: number) => {
      const { reward: value, low, high } = at(row);
      return value !== null && low !== null && high !== null ? { value, low, high } : null;
    };
    const reach = reachOf(range(campaigns.length).map(reward));
    return [
      { key: 'id', title: 'campaign', width: 100, cell: (row) => <a class="mono" href={pathTo('campaigns', at(row).id)}>{at(row).id.slice(0, 8)}</a> },
      { key: 'state', title: 'state', width: 90, sort: (row) => at(row).state, cell: (row) => <Badge word={at(row).state} /> },
      { key: 'reward', title: 'confirmed', width: 160, number: true, sort: (row) => at(row).reward, cell: (row) => reward(row) ? <RewardText reward={reward(row)} /> : <span class="quiet">no winner</span> },
      { key: 'mark', title: 'interval', width: 140, cell: (row) => <IntervalMark reward={reward(row)} reach={reach} /> },
      { key: 'policy', title: 'policy', width: 60, sort: (row) => at(row).policy_version, cell: (row) => (at(row).policy_version === null ? '–' : `v${at(row).policy_version}`) },
      { key: 'at', title: 'at', width: 142, sort: (row) => at(row).at, cell: (row) => moment(iso(at(row).at)) },
    ];
  }, [campaigns]);
  const [order, setOrder] = useOrder('campaigns', columns, kNewest);
  return <DataTable caption="Campaigns" columns={columns} rows={range(campaigns.length)} order={order} onOrder={setOrder} height={300} empty="No campaign yet." />;
}
