// Who measures, and how far their word can be trusted.
import { useEffect, useMemo } from 'preact/hooks';
import { useLoad } from '../../api/load';
import type { Fleet } from '../../api/shapes_overview';
import { useLive } from '../../live/use_live';
import { setQuery, usePlace } from '../../route/router';
import { range } from '../../table/use_order';
import { LiveMark } from '../../ui/badges';
import { Downloads } from '../../ui/downloads';
import { Failure, Head, Panel, Waiting } from '../../ui/panel';
import { ChecksTable } from './checks_table';
import { NoiseChart, noiseLines } from './noise_chart';
import { WorkersTable } from './workers_table';

const kPath = '/v1/views/fleet';
const kPollMs = 10_000;

export function FleetView() {
  const { data, error, reload } = useLoad<Fleet>(kPath);
  const live = useLive('/v1/events', 2000, reload);
  useEffect(() => {
    const timer = setInterval(reload, kPollMs);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <Head title="Fleet">
        <LiveMark state={live.state} events={live.events} />
        <Downloads server={{ path: kPath, tables: ['workers', 'checks'] }} name="fleet" />
      </Head>
      {data ? (
        <>
          <Failure error={error} />
          {data.workers.flatMap((worker) => worker.checks.filter((check) => check.unfit_reason).map((check) => (
            <p key={`${worker.name} ${check.target}`} class="note care">{worker.name} gets no job of {check.target} for now: {check.unfit_reason}</p>
          )))}
          <Panel title={`Workers (${data.workers.length})`} flush><WorkersTable workers={data.workers} now={Date.parse(data.now)} refresh={reload} /></Panel>
          <Checks data={data} />
        </>
      ) : <Waiting error={error} />}
    </>
  );
}

function Checks({ data }: { data: Fleet }) {
  const { query } = usePlace();
  const worker = query.get('worker') ?? '';
  const target = query.get('target') ?? '';
  const checks = data.checks.columns;
  const lines = useMemo(() => noiseLines(checks, worker, target), [checks, worker, target]);
  const rows = useMemo(() => lines.flatMap((line) => line.rows), [lines]);
  const targets = useMemo(() => [...new Set(range(data.checks.rows).map((row) => checks.target[row] ?? ''))].sort(), [checks]);
  return (
    <>
      <Panel
        title="Noise over time"
        actions={
          <>
            <label>
              worker
              <select value={worker} onChange={(event) => setQuery({ worker: event.currentTarget.value })}>
                <option value="">all</option>
                {data.workers.map((one) => <option key={one.name}>{one.name}</option>)}
              </select>
            </label>
            <label>
              target
              <select value={target} onChange={(event) => setQuery({ target: event.currentTarget.value })}>
                <option value="">all</option>
                {targets.map((one) => <option key={one}>{one}</option>)}
              </select>
            </label>
          </>
        }
      >
        <NoiseChart checks={checks} lines={lines} />
      </Panel>
      <Panel title="Self-checks: the baseline against itself" flush><ChecksTable checks={checks} rows={rows} /></Panel>
    </>
  );
}
