import { useMemo } from 'preact/hooks';
import { post } from '../../api/client';
import type { FleetWorker, WorkerCheck } from '../../api/shapes_overview';
import { count, fixed, kNotMeasured } from '../../format/number';
import { percent } from '../../format/reward';
import { ago, moment } from '../../format/time';
import { pathTo, setQuery } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { Confirm } from '../../ui/confirm';
import { useMay } from '../../ui/who';

const kOrder: Order = { key: 'name', down: false };

export function stateOf(worker: FleetWorker): { word: string; tone: 'gain' | 'warn' | 'loss' | 'accent' | '' } {
  if (worker.left_at) {
    return { word: 'stopped', tone: '' };
  }
  if (!worker.alive) {
    return { word: 'lost', tone: 'loss' };
  }
  if (worker.drained_at) {
    return { word: worker.jobs.length > 0 ? 'draining' : 'drained', tone: 'warn' };
  }
  if (worker.checks.some((check) => check.unfit_reason)) {
    return { word: 'in quarantine', tone: 'warn' };
  }
  return worker.jobs.length > 0 ? { word: 'busy', tone: 'accent' } : { word: 'idle', tone: '' };
}

function noisiest(checks: readonly WorkerCheck[]): WorkerCheck | null {
  return checks.reduce<WorkerCheck | null>((most, check) => (most === null || check.reward.noise > most.reward.noise ? check : most), null);
}

export function WorkersTable({ workers, now, refresh }: { workers: FleetWorker[]; now: number; refresh: () => void }) {
  const may = useMay('administer');
  const columns = useMemo((): Column[] => {
    const at = (row: number): FleetWorker => workers[row] as FleetWorker;
    const all: Column[] = [
      { key: 'name', title: 'worker', width: 150, sort: (row) => at(row).name,
        cell: (row) => <button type="button" class="plain" title="Show its noise below" onClick={() => setQuery({ worker: at(row).name })}>{at(row).name}</button> },
      { key: 'state', title: 'state', width: 120, sort: (row) => stateOf(at(row)).word, cell: (row) => <Badge {...stateOf(at(row))} /> },
      { key: 'slots', title: 'slots busy', width: 92, number: true, sort: (row) => at(row).jobs.length, cell: (row) => `${at(row).jobs.length} of ${at(row).slots}` },
      { key: 'jobs', title: 'current job', width: 180, cell: (row) => at(row).jobs.length === 0 ? <span class="quiet">none</span> : at(row).jobs.map((job, index) => (
        <span key={job.id}>{index > 0 ? ', ' : ''}<a href={pathTo('jobs', job.id)} title={`since ${moment(job.leased_at)}`}>{job.target} {job.stage}</a></span>)) },
      { key: 'noise', title: 'noise', about: 'of its last self-checks, the noisiest target', width: 110, number: true, sort: (row) => noisiest(at(row).checks)?.reward.noise ?? null,
        cell: (row) => { const check = noisiest(at(row).checks); return check ? <span title={`${check.target}, checked ${moment(check.checked_at)}`}>{fixed(check.reward.noise * 100, 2)} %</span> : <span class="quiet">{kNotMeasured}</span>; } },
      { key: 'drift', title: 'drift', about: "of the baseline's time since the check before, the largest", width: 84, number: true,
        sort: (row) => driftOf(at(row)), cell: (row) => { const drift = driftOf(at(row)); return drift === null ? '–' : percent(drift); } },
      { key: 'results', title: 'results, 24 h', width: 108, number: true, sort: (row) => at(row).results_24h, cell: (row) => count(at(row).results_24h) },
      { key: 'failures', title: 'failures, 24 h', width: 112, number: true, sort: (row) => at(row).failures_24h, cell: (row) => count(at(row).failures_24h) },
      { key: 'seen', title: 'last seen', width: 96, sort: (row) => at(row).last_seen_at, cell: (row) => <span title={moment(at(row).last_seen_at)}>{ago(at(row).last_seen_at, now)}</span> },
      { key: 'labels', title: 'labels', width: 170, cell: (row) => Object.entries(at(row).labels).map(([key, value]) => <span key={key} class="badge">{key}={value} </span>) },
    ];
    if (may) {
      all.push({ key: 'act', title: 'rotation', width: 120, cell: (row) => <DrainButton worker={at(row)} refresh={refresh} /> });
    }
    all.push({ key: 'machine', title: 'machine', width: 220, sort: (row) => at(row).machine?.cpu_model ?? null,
      cell: (row) => { const { machine, version } = at(row); const text = [machine?.cpu_model, machine?.cpus ? `${machine.cpus} CPUs` : '', machine?.kernel, version ? `Hone ${version}` : ''].filter(Boolean).join(', '); return <span title={text}>{text || kNotMeasured}</span>; } });
    return all;
  }, [workers, now, may, refresh]);
  const [order, setOrder] = useOrder('order', columns, kOrder);
  return <DataTable caption="Workers" columns={columns} rows={range(workers.length)} order={order} onOrder={setOrder} height={420} empty="No worker has registered: start `hone-worker` on a staging machine." />;
}

function driftOf(worker: FleetWorker): number | null {
  return worker.checks.reduce<number | null>((most, { drift }) => (drift !== null && (most === null || Math.abs(drift) > Math.abs(most)) ? drift : most), null);
}

function DrainButton({ worker, refresh }: { worker: FleetWorker; refresh: () => void }) {
  const path = `/v1/workers/${encodeURIComponent(worker.name)}`;
  return worker.drained_at ? (
    <Confirm label="Resume" question={`Give ${worker.name} jobs again?`} confirm="Resume"
      act={async () => { await post(`${path}/resume`); refresh(); return ''; }}>
      It was drained {moment(worker.drained_at)}.
    </Confirm>
  ) : (
    <Confirm label="Drain" question={`Take ${worker.name} out of rotation?`} confirm="Drain" danger
      act={async () => { await post(`${path}/drain`); refresh(); return ''; }}>
      It gets no new job. What it runs now it finishes.
    </Confirm>
  );
}
