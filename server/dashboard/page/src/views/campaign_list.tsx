import { useMemo, useState } from 'preact/hooks';
import { get, withQuery } from '../api/client';
import { useLoad } from '../api/load';
import type { Campaign, Page } from '../api/shapes_campaign';
import { useLive } from '../live/use_live';
import { count } from '../format/number';
import { moment } from '../format/time';
import { pathTo, setQuery, usePlace } from '../route/router';
import type { Column, Order } from '../table/column';
import { DataTable } from '../table/data_table';
import { range, useOrder } from '../table/use_order';
import { Badge, LiveMark } from '../ui/badges';
import { Downloads } from '../ui/downloads';
import { IntervalMark, reachOf, RewardText } from '../ui/interval';
import { Failure, Head, Panel, Waiting } from '../ui/panel';
import { budgetText } from './overview/running_table';

const kOrder: Order = { key: 'started', down: true };
const kStates = ['waiting', 'racing', 'confirming', 'finished', 'cancelled', 'failed'];

function columnsOf(campaigns: readonly Campaign[]): Column[] {
  const at = (row: number): Campaign => campaigns[row] as Campaign;
  const reach = reachOf(campaigns.map((campaign) => campaign.confirmed));
  return [
    { key: 'target', title: 'campaign', width: 200, sort: (row) => at(row).target,
      cell: (row) => <a href={pathTo('campaigns', at(row).id)}>{at(row).target} <span class="mono">{at(row).id.slice(0, 8)}</span></a> },
    { key: 'state', title: 'state', width: 90, sort: (row) => at(row).state, cell: (row) => <Badge word={at(row).state} /> },
    { key: 'confirmed', title: 'confirmed', width: 170, number: true, sort: (row) => at(row).confirmed?.value ?? null,
      cell: (row) => at(row).confirmed ? <RewardText reward={at(row).confirmed} /> : <span class="quiet">{at(row).finished_at ? 'no winner' : 'not yet'}</span> },
    { key: 'mark', title: 'interval', width: 140, cell: (row) => <IntervalMark reward={at(row).confirmed} reach={reach} /> },
    { key: 'race', title: 'best in the race', width: 170, number: true, sort: (row) => at(row).best_race?.value ?? null,
      cell: (row) => <RewardText reward={at(row).best_race} /> },
    { key: 'against', title: 'against', width: 76, sort: (row) => at(row).baseline, cell: (row) => at(row).baseline },
    { key: 'candidates', title: 'candidates', width: 90, number: true, sort: (row) => at(row).candidates, cell: (row) => count(at(row).candidates) },
    { key: 'failed', title: 'failed', width: 64, number: true, sort: (row) => at(row).failed, cell: (row) => count(at(row).failed) },
    { key: 'budget', title: 'budget', width: 140, cell: (row) => budgetText(at(row)) },
    { key: 'policy', title: 'policy', width: 70, sort: (row) => at(row).policy_version,
      cell: (row) => at(row).policy_version === null ? '–' : <a href={pathTo('policies', at(row).target)}>v{at(row).policy_version}</a> },
    { key: 'started', title: 'started', width: 142, sort: (row) => at(row).created_at, cell: (row) => moment(at(row).created_at) },
    { key: 'reason', title: 'reason', width: 160, cell: (row) => <span title={at(row).reason ?? ''}>{at(row).reason ?? ''}</span> },
  ];
}

export function CampaignList() {
  const query = usePlace().query;
  const path = withQuery('/v1/campaigns', { state: query.get('state'), target: query.get('target'), limit: 200 });
  const { data, error, reload } = useLoad<Page<Campaign>>(path);
  const live = useLive('/v1/events', 3000, reload);
  const [more, setMore] = useState<{ path: string; items: Campaign[]; cursor: string | null }>({ path, items: [], cursor: null });
  const older = more.path === path ? more : { path, items: [], cursor: null };
  const campaigns = useMemo(() => [...(data?.items ?? []), ...older.items], [data, older.items]);
  const columns = useMemo(() => columnsOf(campaigns), [campaigns]);
  const [order, setOrder] = useOrder('order', columns, kOrder);
  const next = older.items.length > 0 ? older.cursor : (data?.next_cursor ?? null);
  const [failed, setFailed] = useState<Error | null>(null);
  return (
    <>
      <Head title="Campaigns">
        <LiveMark state={live.state} events={live.events} />
        <Downloads server={{ path, tables: ['campaigns'] }} name="campaigns" />
      </Head>
      <div class="filters" role="search" aria-label="Filter campaigns">
        <label>
          state
          <select value={query.get('state') ?? ''} onChange={(event) => setQuery({ state: event.currentTarget.value })}>
            <option value="">any</option>
            {kStates.map((state) => <option key={state}>{state}</option>)}
          </select>
        </label>
        {query.get('target') ? <button type="button" onClick={() => setQuery({ target: null })}>target {query.get('target')} ✕</button> : null}
      </div>
      <Failure error={failed ?? (data ? error : null)} />
      {data ? (
        <Panel title={`Campaigns, newest first (${campaigns.length}${next ? ' of more' : ''})`} flush
          actions={next ? (
            <button type="button" onClick={() => {
              get<Page<Campaign>>(withQuery(path, { cursor: next })).then(
                (page) => setMore({ path, items: [...older.items, ...page.items], cursor: page.next_cursor }), setFailed);
            }}>Older ones</button>
          ) : null}>
          <DataTable caption="Campaigns" columns={columns} rows={range(campaigns.length)} order={order} onOrder={setOrder} height={640}
            empty="No campaign like this. `hone tune` starts one." />
        </Panel>
      ) : <Waiting error={error} />}
    </>
  );
}
