// Policies that are tried on real traffic, and what the services they are tried on may still afford.
import { useEffect, useMemo } from 'preact/hooks';
import { withQuery } from '../../api/client';
import { useLoad } from '../../api/load';
import { isOver, type Canaries, type CanaryRow } from '../../api/shapes_canary';
import { count } from '../../format/number';
import { sliName } from '../../format/sli';
import { moment, seconds } from '../../format/time';
import { pathTo, setQuery, usePlace } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge, LiveMark } from '../../ui/badges';
import { Downloads } from '../../ui/downloads';
import { IntervalMark, reachOf } from '../../ui/interval';
import { Failure, Head, Panel, Waiting } from '../../ui/panel';
import { BudgetTable } from './budget';
import { intervalOf, RatioText } from './ratio_text';

const kOrder: Order = { key: 'began', down: true };
const kStates = ['prepared', 'ramping', 'judged', 'promoted', 'rolled_back', 'aborted'];
const kPollMs = 3000;

// What it taught at its end; until then what is known so far.
function ratioOf(canary: CanaryRow) {
  return isOver(canary.state) ? canary.reward : canary.so_far;
}

function lasted(canary: CanaryRow, now: number): number {
  return ((canary.ended_at ? Date.parse(canary.ended_at) : now) - Date.parse(canary.created_at)) / 1000;
}

function columnsOf(canaries: readonly CanaryRow[], now: number): Column[] {
  const at = (row: number): CanaryRow => canaries[row] as CanaryRow;
  const reach = reachOf(canaries.map((canary) => intervalOf(ratioOf(canary))));
  return [
    { key: 'target', title: 'canary', width: 190, sort: (row) => at(row).target,
      cell: (row) => <a href={pathTo('canaries', at(row).id)}>{at(row).target} <span class="mono">{at(row).id.slice(0, 8)}</span></a> },
    { key: 'state', title: 'state', width: 190, sort: (row) => at(row).state,
      cell: (row) => <><Badge word={at(row).state} />{at(row).waits_for_approval ? <>{' '}<Badge word="to be approved" tone="warn" /></> : null}</> },
    { key: 'share', title: 'share', about: 'of traffic that it may get', width: 70, number: true, sort: (row) => at(row).share,
      cell: (row) => <span title={at(row).follows ? '' : 'traffic does not follow yet'}>{at(row).share} %{at(row).follows ? '' : ' …'}</span> },
    { key: 'began', title: 'began', width: 142, sort: (row) => at(row).created_at, cell: (row) => moment(at(row).created_at) },
    { key: 'lasted', title: 'lasted', width: 108, number: true, sort: (row) => lasted(at(row), now),
      cell: (row) => <span title={at(row).ended_at ? `ended ${moment(at(row).ended_at)}` : 'under way'}>{seconds(Math.max(0, lasted(at(row), now)))}</span> },
    { key: 'policy', title: 'policy', width: 70, sort: (row) => at(row).policy_version, cell: (row) => <a href={pathTo('policies', at(row).target)}>v{at(row).policy_version}</a> },
    { key: 'verdict', title: 'verdict', about: 'of all indicators together', width: 148, sort: (row) => at(row).finding,
      cell: (row) => at(row).finding ? <Badge word={at(row).finding} /> : <span class="quiet">not judged yet</span> },
    { key: 'reward', title: 'reward', about: 'log ratio of the first indicator, baseline by canary: what it taught, or what is known so far', width: 200, number: true,
      sort: (row) => ratioOf(at(row))?.value ?? null, cell: (row) => <RatioText ratio={ratioOf(at(row))} /> },
    { key: 'mark', title: 'interval', width: 140, cell: (row) => <IntervalMark reward={intervalOf(ratioOf(at(row)))} reach={reach} /> },
    { key: 'sli', title: 'of', width: 78, sort: (row) => at(row).sli, cell: (row) => sliName(at(row).sli) },
    { key: 'windows', title: 'windows', about: 'and those of them that told nothing', width: 110, number: true, sort: (row) => at(row).windows,
      cell: (row) => <>{count(at(row).windows)}{at(row).lost_windows ? <span class="warn">, {count(at(row).lost_windows)} lost</span> : null}</> },
    { key: 'from', title: 'comes from', width: 150,
      cell: (row) => {
        const { candidate, campaign } = at(row);
        return candidate ? <a href={pathTo('candidates', candidate)}>candidate <span class="mono">{candidate.slice(-8)}</span></a>
          : campaign ? <a href={pathTo('campaigns', campaign)}>campaign <span class="mono">{campaign.slice(0, 8)}</span></a> : <span class="quiet">by hand</span>;
      } },
    { key: 'cause', title: 'because of', about: 'why it ended without a promotion', width: 108, sort: (row) => at(row).cause, cell: (row) => at(row).cause?.replaceAll('_', ' ') ?? '–' },
    { key: 'by', title: 'by', width: 90, sort: (row) => at(row).created_by, cell: (row) => at(row).created_by ?? '–' },
    { key: 'reason', title: 'reason', width: 220, cell: (row) => <span title={at(row).reason}>{at(row).reason}</span> },
  ];
}

export function CanaryList() {
  const query = usePlace().query;
  const path = withQuery('/v1/views/canaries', { target: query.get('target'), state: query.get('state') });
  const { data, error, reload } = useLoad<Canaries>(path);
  useEffect(() => {
    const timer = setInterval(reload, kPollMs);
    return () => clearInterval(timer);
  }, [reload]);
  const now = data ? Date.parse(data.now) : 0;
  const canaries = data?.canaries ?? kNone;
  const columns = useMemo(() => columnsOf(canaries, now), [canaries, now]);
  const [order, setOrder] = useOrder('order', columns, kOrder);
  const more = data && data.total > canaries.length ? `, the newest ${count(canaries.length)} of ${count(data.total)}: a filter finds older ones` : '';
  return (
    <>
      <Head title="Canaries" sub="Policies that are tried on a share of real traffic, each judged against the baseline over the same windows.">
        <LiveMark state={error ? 'waiting' : data ? 'live' : 'connecting'} events={0} />
        <Downloads server={{ path, tables: ['canaries', 'services'] }} name="canaries" />
      </Head>
      <div class="filters" role="search" aria-label="Filter canaries">
        <label>
          state
          <select value={query.get('state') ?? ''} onChange={(event) => setQuery({ state: event.currentTarget.value })}>
            <option value="">any</option>
            {kStates.map((state) => <option key={state} value={state}>{state.replaceAll('_', ' ')}</option>)}
          </select>
        </label>
        {query.get('target') ? <button type="button" onClick={() => setQuery({ target: null })}>target {query.get('target')} ✕</button> : null}
      </div>
      {data ? (
        <>
          <Failure error={error} />
          <Panel title={`Canaries (${count(data.total)}${more})`} flush>
            <DataTable caption="Canaries" columns={columns} rows={range(canaries.length)} order={order} onOrder={setOrder} height={520}
              empty="No canary like this. `hone canary start` begins one." />
          </Panel>
          <Panel title={`Error budgets (${count(data.services.length)})`} flush>
            <BudgetTable services={data.services} now={now} />
          </Panel>
        </>
      ) : <Waiting error={error} />}
    </>
  );
}

const kNone: CanaryRow[] = [];
