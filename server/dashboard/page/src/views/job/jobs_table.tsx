// All jobs of this candidate, and the attempts of this one.
import { useMemo } from 'preact/hooks';
import type { Attempt, SiblingJob } from '../../api/shapes_campaign';
import { moment } from '../../format/time';
import { pathTo } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge, Standing } from '../../ui/badges';
import { IntervalMark, reachOf, RewardText } from '../../ui/interval';

const kJobsOrder: Order = { key: 'ended', down: true };
const kAttemptsOrder: Order = { key: 'number', down: false };

export function JobsTable({ jobs, own }: { jobs: SiblingJob[]; own: string }) {
  const columns = useMemo((): Column[] => {
    const at = (row: number): SiblingJob => jobs[row] as SiblingJob;
    const reach = reachOf(jobs.map((job) => job.reward));
    return [
      { key: 'stage', title: 'stage', width: 132, sort: (row) => at(row).stage,
        cell: (row) => (at(row).id === own ? <b>{at(row).stage} (this)</b> : <a href={pathTo('jobs', at(row).id)}>{at(row).stage}</a>) },
      { key: 'reward', title: 'reward', width: 178, number: true, sort: (row) => at(row).reward?.value ?? null, cell: (row) => <RewardText reward={at(row).reward} /> },
      { key: 'mark', title: 'interval', width: 140, cell: (row) => <IntervalMark reward={at(row).reward} reach={reach} /> },
      { key: 'standing', title: 'verdict or failure', width: 130, cell: (row) => <Standing {...at(row)} /> },
      { key: 'pairs', title: 'pairs', width: 60, number: true, sort: (row) => at(row).reward?.pairs ?? null, cell: (row) => at(row).reward?.pairs ?? '–' },
      { key: 'ended', title: 'ended', width: 142, sort: (row) => at(row).finished_at, cell: (row) => moment(at(row).finished_at) },
      { key: 'note', title: 'note', width: 160, cell: (row) => <span title={at(row).note ?? ''}>{at(row).note ?? ''}</span> },
    ];
  }, [jobs, own]);
  const [order, setOrder] = useOrder('jobs', columns, kJobsOrder);
  return <DataTable caption="Jobs of this candidate" columns={columns} rows={range(jobs.length)} order={order} onOrder={setOrder} height={300} empty="No other job." />;
}

export function AttemptsTable({ attempts }: { attempts: Attempt[] }) {
  const columns = useMemo((): Column[] => {
    const at = (row: number): Attempt => attempts[row] as Attempt;
    return [
      { key: 'number', title: 'attempt', width: 70, number: true, sort: (row) => at(row).number, cell: (row) => at(row).number },
      { key: 'state', title: 'state', width: 100, sort: (row) => at(row).state, cell: (row) => <Badge word={at(row).state} /> },
      { key: 'worker', title: 'worker', width: 130, sort: (row) => at(row).worker, cell: (row) => at(row).worker ?? '–' },
      { key: 'leased', title: 'leased', width: 142, sort: (row) => at(row).leased_at, cell: (row) => moment(at(row).leased_at) },
      { key: 'ended', title: 'ended', width: 142, sort: (row) => at(row).ended_at, cell: (row) => moment(at(row).ended_at) },
      { key: 'reason', title: 'reason', width: 160, cell: (row) => <span title={at(row).reason ?? ''}>{at(row).reason ?? ''}</span> },
    ];
  }, [attempts]);
  const [order, setOrder] = useOrder('attempts', columns, kAttemptsOrder);
  return <DataTable caption="Attempts" columns={columns} rows={range(attempts.length)} order={order} onOrder={setOrder} empty="No worker has taken it yet." />;
}
