// Which of a target's series is shown, and how. All of it is in the URL.
import type { History } from '../../api/shapes_history';
import { count } from '../../format/number';
import { setQuery } from '../../route/router';
import type { Of } from './history_series';

export function SeriesChoice({ data, of, byCommit }: { data: History; of: Of; byCommit: boolean }) {
  const own = data.series.findIndex((series) => series.metric === data.metric && series.baseline === data.baseline && series.worker === data.worker);
  return (
    <>
      <label>
        series
        <select value={String(own)} onChange={(event) => {
          const series = data.series[Number(event.currentTarget.value)];
          if (series) {
            setQuery({ metric: series.metric, baseline: series.baseline, worker: series.worker, from: null, to: null });
          }
        }}>
          {data.series.map((series, index) => (
            <option key={index} value={String(index)}>{`${series.metric.replaceAll('_', ' ')} against ${series.baseline} on ${series.worker} (${count(series.results)})`}</option>
          ))}
        </select>
      </label>
      <label>
        stage
        <select value={data.stage ?? ''} onChange={(event) => setQuery({ stage: event.currentTarget.value })}>
          <option value="">both</option>
          <option>race</option>
          <option>confirm</option>
        </select>
      </label>
      <label>
        of
        <select value={of} onChange={(event) => setQuery({ of: event.currentTarget.value === 'baseline' ? null : event.currentTarget.value })}>
          <option value="baseline">the baseline</option>
          <option value="candidate">the candidates</option>
          <option value="reward">the reward</option>
        </select>
      </label>
      <label>
        over
        <select value={byCommit ? 'commits' : 'time'} onChange={(event) => setQuery({ over: event.currentTarget.value === 'time' ? null : 'commits' })}>
          <option value="time">time</option>
          <option value="commits">commits</option>
        </select>
      </label>
    </>
  );
}
