import { useMemo } from 'preact/hooks';
import type { JobPage } from '../../api/shapes_campaign';
import { boxOf } from '../../charts/distribution';
import { StripPlot, type Strip } from '../../charts/strip';
import { count, fixed, significant, signed } from '../../format/number';
import { percentOf } from '../../format/reward';
import { pathTo, setQuery, usePlace } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Panel } from '../../ui/panel';
import { inputsOf, metricsOf, seriesOf, unitOf, type PairSeries } from './pair_data';

export function DistributionPanel({ page }: { page: JobPage }) {
  const { query } = usePlace();
  const pairs = page.pairs.columns;
  const inputs = useMemo(() => inputsOf(pairs), [pairs]);
  const metrics = useMemo(() => metricsOf(pairs), [pairs]);
  const metric = query.get('metric') ?? (metrics.includes(page.job.metric) ? page.job.metric : (metrics[0] ?? page.job.metric));
  const wanted = query.get('input');
  const input = wanted !== null && inputs.includes(wanted) ? wanted : inputs.length === 1 ? (inputs[0] ?? null) : null;
  const series = useMemo(() => seriesOf(pairs, metric, input), [pairs, metric, input]);
  if (page.pairs.rows === 0) {
    return (
      <Panel title="Samples">
        <p class="empty">{noSamples(page)}</p>
      </Panel>
    );
  }
  return (
    <Panel
      title={`Paired samples: ${metric.replaceAll('_', ' ')}`}
      actions={
        <>
          {metrics.length > 1 ? (
            <Choice name="metric" value={metric} values={metrics} onChoose={(value) => setQuery({ metric: value })} />
          ) : null}
          {inputs.length > 1 ? (
            <label>
              input
              <select value={input ?? ''} onChange={(event) => setQuery({ input: event.currentTarget.value })}>
                <option value="">all, by log ratio</option>
                {inputs.map((one) => <option key={one}>{one}</option>)}
              </select>
            </label>
          ) : null}
        </>
      }
    >
      {page.samples_of && page.samples_of !== page.job.id ? (
        <p class="note">
          The binary is the same as one that was measured before: these are the samples of <a href={pathTo('jobs', page.samples_of)}>that job</a>.
        </p>
      ) : null}
      <Plots series={series} metric={metric} values={input !== null} reward={metric === page.job.metric ? page.job.reward : null} />
      <details>
        <summary>{series.rows.length === 1 ? 'The pair' : `The ${count(series.rows.length)} pairs`} as a table</summary>
        <PairTable page={page} series={series} />
      </details>
    </Panel>
  );
}

function noSamples(page: JobPage): string {
  if (page.job.verdict === 'no_change' && !page.job.reward) {
    return 'The binary is the same as the baseline: nothing was measured.';
  }
  return page.job.state === 'done' ? 'Nothing was measured: the job ended before its runs.' : 'Nothing was measured yet.';
}

function Choice({ name, value, values, onChoose }: { name: string; value: string; values: string[]; onChoose: (value: string) => void }) {
  return (
    <label>
      {name}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {values.map((one) => <option key={one}>{one}</option>)}
      </select>
    </label>
  );
}

function Plots({ series, metric, values, reward }: { series: PairSeries; metric: string; values: boolean; reward: { value: number; low: number; high: number } | null }) {
  const sides = useMemo((): Strip[] => [
    { name: 'baseline', values: series.baseline, look: 'strip-baseline' },
    { name: 'candidate', values: series.candidate, look: 'strip-candidate' },
  ], [series]);
  const ratios = useMemo((): Strip[] => [{ name: 'pairs', values: series.logRatio, look: 'strip-candidate' }], [series]);
  const said = (values: readonly number[]): string => {
    const box = boxOf(values);
    return box ? `median ${significant(box.median)}, quartiles ${significant(box.q1)} and ${significant(box.q3)}` : 'none';
  };
  return (
    <div class="stack">
      {values ? (
        <StripPlot strips={sides} axis={`${unitOf(metric)}, one point a run`} format={(value) => significant(value)}
          label={`Runs. Baseline: ${said(series.baseline)}. Candidate: ${said(series.candidate)}.`} />
      ) : null}
      <StripPlot strips={ratios} zero interval={reward} axis="each pair's ln(baseline / candidate): right of zero the candidate is better"
        format={(value) => `${signed(percentOf(value), Math.abs(value) < 0.02 ? 1 : 0)} %`}
        label={`${series.logRatio.length} pairs: ${said(series.logRatio.map(percentOf))} percent.`} />
    </div>
  );
}

const kOrder: Order = { key: 'pair', down: false };

function PairTable({ page, series }: { page: JobPage; series: PairSeries }) {
  const pairs = page.pairs.columns;
  const columns = useMemo((): Column[] => [
    { key: 'pair', title: 'pair', width: 60, number: true, sort: (row) => pairs.pair[row] ?? null, cell: (row) => pairs.pair[row] },
    { key: 'input', title: 'input', width: 120, sort: (row) => pairs.input[row] ?? '', cell: (row) => pairs.input[row] ?? '' },
    { key: 'baseline', title: 'baseline', width: 110, number: true, sort: (row) => pairs.baseline[row] ?? null, cell: (row) => significant(pairs.baseline[row] ?? NaN, 6) },
    { key: 'candidate', title: 'candidate', width: 110, number: true, sort: (row) => pairs.candidate[row] ?? null, cell: (row) => significant(pairs.candidate[row] ?? NaN, 6) },
    { key: 'ratio', title: 'gain', width: 80, number: true, sort: (row) => pairs.log_ratio[row] ?? null, cell: (row) => `${signed(percentOf(pairs.log_ratio[row] ?? NaN), 2)} %` },
    { key: 'block', title: 'block', width: 60, number: true, sort: (row) => pairs.block[row] ?? null, cell: (row) => pairs.block[row] },
    { key: 'layout', title: 'link', about: 'which of the links of the same objects ran', width: 60, number: true, sort: (row) => pairs.layout[row] ?? null, cell: (row) => fixed(pairs.layout[row] ?? 0, 0) },
    { key: 'first', title: 'ran first', width: 90, cell: (row) => (pairs.candidate_first[row] ? 'candidate' : 'baseline') },
  ], [pairs]);
  const [order, setOrder] = useOrder('pairs', columns, kOrder);
  return <DataTable caption="Pairs" columns={columns} rows={series.rows.length === page.pairs.rows ? range(page.pairs.rows) : series.rows} order={order} onOrder={setOrder} height={360} empty="No pairs." />;
}
