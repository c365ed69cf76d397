// How a target's metric went: over time and over its commits, with the places where its level changed.
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { withQuery } from '../../api/client';
import { useLoad } from '../../api/load';
import type { ChangePoint, History } from '../../api/shapes_history';
import { lowerBound, upperBound } from '../../charts/decimate';
import type { Span } from '../../charts/window';
import { count, plural, significant, signed } from '../../format/number';
import { percent, percentOf } from '../../format/reward';
import { moment } from '../../format/time';
import { navigate, pathTo, setQuery, usePlace } from '../../route/router';
import { Downloads } from '../../ui/downloads';
import { Failure, Head, Panel, Waiting } from '../../ui/panel';
import { HistoryChart } from './history_chart';
import { overTime, overVersions, stepSeries, type Of } from './history_series';
import { CampaignsTable, ChangesTable, iso, VersionsTable } from './history_tables';
import { ResultsPanel } from './results_panel';
import { SeriesChoice } from './series_choice';

// A first picture at once, then every point: panning needs no further request.
const kFirstPoints = 2000;
const kAllPoints = 100_000;
const kMostListed = 2000;

export function HistoryView({ target }: { target: string }) {
  const { query } = usePlace();
  const base = withQuery(`/v1/views/targets/${encodeURIComponent(target)}/history`, {
    metric: query.get('metric'), baseline: query.get('baseline'), worker: query.get('worker'), stage: query.get('stage'),
  });
  const first = useLoad<History>(withQuery(base, { points: kFirstPoints }));
  const full = useLoad<History>(first.data && first.data.total > kFirstPoints ? withQuery(base, { points: kAllPoints }) : null);
  const data = full.data ?? first.data;
  return (
    <>
      <Head title={<>History of {target}</>} sub={data && data.metric ? `${data.metric.replaceAll('_', ' ')} of ${data.worker ?? '?'}, against ${data.baseline ?? '?'}: ${plural(data.total, 'result')}` : ''}>
        <a href={`${pathTo('campaigns')}?target=${encodeURIComponent(target)}`}>Campaigns</a>
        <a href={pathTo('policies', target)}>Policies</a>
        <Downloads server={{ path: base, tables: ['points', 'changes', 'versions', 'campaigns'] }} name={`${target}-history`} />
      </Head>
      <Failure error={full.error ?? (data ? first.error : null)} />
      {data ? <Body data={data} base={base} /> : <Waiting error={first.error} />}
    </>
  );
}

function Body({ data, base }: { data: History; base: string }) {
  const { query } = usePlace();
  const of = ofText(query.get('of'));
  const byCommit = query.get('over') === 'commits';
  const points = data.points.columns;
  const series = useMemo(() => overTime(points, of), [points, of]);
  const steps = useMemo(() => overVersions(data, of), [data, of]);
  const stepped = useMemo(() => stepSeries(steps), [steps]);
  const marks = useMemo(() => {
    const changes = data.changes.filter((change) => change.of === of || (of === 'candidate' && change.of === 'baseline'));
    return [
      ...data.versions.map((version) => ({ x: version.at / 1000, text: `v${version.version}`, look: 'version' as const })),
      ...changes.map((change) => ({ x: change.at / 1000, text: percent(change.change), look: 'change' as const })),
    ].sort((a, b) => a.x - b.x);
  }, [data, of]);
  const [listed, setListed] = useState<{ from: number; to: number } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const moved = useCallback((span: Span) => {
    if (timer.current) {
      clearTimeout(timer.current);
    }
    // Once the window rests: the results are listed where they are few.
    timer.current = setTimeout(() => {
      const results = resultsWithin(data, span);
      setListed(results > 0 && results <= kMostListed ? { from: Math.floor(span.from * 1000), to: Math.ceil(span.to * 1000) } : null);
    }, 400);
  }, [data]);
  const [jump, setJump] = useState<Span | null>(null);
  const show = useCallback((change: ChangePoint) => {
    const half = Math.max(3_600_000, ((data.to ?? 0) - (data.from ?? 0)) / 40);
    setQuery({ over: null, of: change.of === 'reward' ? 'reward' : null });
    setJump({ from: (change.at - half) / 1000, to: (change.at + half) / 1000 });
  }, [data]);
  const unit = of === 'reward' ? 'gain' : (data.unit ?? data.metric ?? '');
  const text = of === 'reward' ? (value: number) => `${signed(percentOf(value), 1)} %` : (value: number) => significant(value, 3);
  return (
    <>
      <Panel title={byCommit ? 'Over commits' : 'Over time'} actions={<SeriesChoice data={data} of={of} byCommit={byCommit} />}>
        {byCommit ? (
          <HistoryChart key="commits" label={`${plural(steps.length, 'version')} of ${data.target}: median and quartiles of ${of}. The table of versions has the numbers`}
            series={stepped} marks={kNoMarks} time={false} xLabel="version of the target" xText={(x) => (Number.isInteger(x) && steps[x] ? `v${steps[x]?.version}` : '')}
            yLabel={unit} yText={text} zero={of === 'reward'} span={null} jump={null} moved={ignore} open={() => undefined}
            describe={(index) => { const step = steps[index]; return step ? `v${step.version} ${step.commit?.slice(0, 12) ?? ''}: median ${text(step.median)}, quartiles ${text(step.q1)} to ${text(step.q3)}, ${plural(step.results, 'result')}` : ''; }} />
        ) : (
          <HistoryChart key="time" label={`${plural(data.total, 'result')} of ${of}, ${plural(data.changes.length, 'change point')}. The tables below have the numbers`}
            series={series} marks={marks} time xLabel="" yLabel={unit} yText={text} zero={of === 'reward'} span={jump ?? spanOf(query)} jump={jump} moved={moved}
            open={(index) => { const job = points.job?.[series.rows[index] ?? -1]; if (job) { navigate(pathTo('jobs', job)); } }}
            describe={(index) => describe(data, series.rows[index] ?? -1, series.mid[index] ?? NaN, series.low[index] ?? NaN, series.high[index] ?? NaN, text)} />
        )}
        <div class="legend" aria-hidden="true">
          <span><i class="key line" />{data.bucketed ? 'mean' : 'result'}</span>
          <span><i class="key band-ground" />{byCommit ? 'quartiles of the results' : data.bucketed || !points.baseline_low ? 'least and greatest' : `${of === 'reward' ? 'interval' : 'quartiles of the runs'}; of many results in one place, the farthest`}</span>
          {byCommit ? null : <span><i class="key change-ground" />change of level (PELT)</span>}
        </div>
      </Panel>
      {listed && !byCommit ? <ResultsPanel path={withQuery(base, { from: listed.from, to: listed.to, points: kMostListed })} /> : null}
      <div class="columns">
        <div class="w6"><Panel title={`Changes of level (${count(data.changes.length)})`} flush><ChangesTable changes={data.changes} show={show} /></Panel></div>
        <div class="w6"><Panel title="Campaigns" flush><CampaignsTable campaigns={data.campaigns} /></Panel></div>
      </div>
      <Panel title="Versions" flush><VersionsTable history={data} steps={steps} unit={unit} /></Panel>
    </>
  );
}

const kNoMarks: never[] = [];
const ignore = (): void => undefined;

function ofText(text: string | null): Of {
  return text === 'reward' || text === 'candidate' ? text : 'baseline';
}

function spanOf(query: URLSearchParams): Span | null {
  const from = Number(query.get('from') ?? NaN) / 1000;
  const to = Number(query.get('to') ?? NaN) / 1000;
  return to > from ? { from, to } : null;
}

function resultsWithin(data: History, span: Span): number {
  const { at, count: counts } = data.points.columns;
  const begin = lowerBound(at, span.from * 1000);
  const end = upperBound(at, span.to * 1000);
  let results = 0;
  for (let row = begin; row < end && results <= kMostListed; row += 1) {
    results += counts?.[row] ?? 1;
  }
  return results;
}

function describe(data: History, row: number, mid: number, low: number, high: number, text: (value: number) => string): string {
  const { at, count: counts, version, verdict } = data.points.columns;
  const when = at[row];
  if (when === undefined) {
    return '';
  }
  const many = counts?.[row] ?? 1;
  return `${moment(iso(when))} · ${text(mid)} [${text(low)}, ${text(high)}] · v${version[row]}${many > 1 ? ` · mean of ${count(many)}` : ''}${verdict?.[row] ? ` · ${verdict[row]}` : ''}`;
}
