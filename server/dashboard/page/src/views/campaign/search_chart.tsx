// Every candidate as a point, and over them the best so far with its interval. A point opens its candidate.
import { useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { CandidateColumns } from '../../api/shapes_campaign';
import { plainAxis, rewardAxis } from '../../charts/axes';
import { Plot } from '../../charts/plot';
import { drawPoints, nearestPoint, type PointLook } from '../../charts/points';
import { rewardText, side } from '../../format/reward';
import { seconds } from '../../format/time';
import { setQuery } from '../../route/router';
import { memo } from '../../ui/memo';
import { colour } from '../../ui/theme';
import { searchCurve, type Across, type SearchCurve } from './best_so_far';
import { label, raceReward, standing } from './candidate';

const kHeight = 300;

const kAcross: Record<Across, string> = {
  order: 'candidates measured',
  spent: 'machine time spent',
  cost: "a candidate's own cost",
};

interface SearchChartProps {
  columns: CandidateColumns;
  across: Across;
  shown: ReadonlySet<number> | null; // null: all of them
}

export const SearchChart = memo(function SearchChart({ columns, across, shown }: SearchChartProps) {
  const curve = useMemo(() => searchCurve(columns, across), [columns, across]);
  const [under, setUnder] = useState(-1);
  // What the plot's own callbacks read: they are made once and see the newest.
  const now = useRef({ curve, columns, shown });
  now.current = { curve, columns, shown };
  const data = useMemo(
    (): uPlot.AlignedData => [curve.x, curve.best, curve.low, curve.high, curve.reward],
    [curve, shown],
  );
  const row = curve.rows[under];
  return (
    <figure>
      <Plot
        label={`Search: ${curve.rows.length} candidates, reward against ${kAcross[across]}. The table below has the same numbers.`}
        height={kHeight}
        data={data}
        remake={across}
        options={() => optionsOf(across, () => now.current, setUnder)}
      />
      <div class="legend" aria-hidden="true">
        {across === 'cost' ? null : <span><i class="key line" />best so far in the race</span>}
        {across === 'cost' ? null : <span><i class="key band-ground" />its interval</span>}
        <span><i class="key round gain-ground" />interval above zero</span>
        <span><i class="key round point-ground" />zero within the interval</span>
        <span><i class="key round loss-ground" />below zero</span>
        <span><i class="key round hollow-same" />the same binary</span>
        <span><i class="key round hollow" />failed (lower edge)</span>
      </div>
      <p class="readout" aria-hidden="true">
        {row === undefined ? (
          'A point opens its candidate.'
        ) : (
          <>
            <b>{label(columns, row)}</b> {rewardText(raceReward(columns, row))} · {standing(columns, row)} · {columns.note[row] ?? columns.origin[row] ?? ''}
          </>
        )}
      </p>
    </figure>
  );
});

interface Held {
  curve: SearchCurve;
  columns: CandidateColumns;
  shown: ReadonlySet<number> | null;
}

function looks(): PointLook[] {
  return [
    { fill: colour('point'), radius: 2.2 },
    { fill: colour('loss'), radius: 2.2 },
    { fill: colour('gain'), radius: 2.6 },
    { fill: colour('point'), radius: 2.4, hollow: true },
    { fill: colour('loss'), radius: 2.4, hollow: true },
  ];
}

const kSame = 3;
const kFailed = 4;
const kLooks: Record<ReturnType<typeof side>, number> = { unsure: 0, loss: 1, gain: 2, none: -1 };

function optionsOf(across: Across, held: () => Held, setUnder: (index: number) => void): Omit<uPlot.Options, 'width' | 'height'> {
  const painted = looks();
  return {
    scales: { x: { time: false, range: roomAround }, y: { range: rewardRange } },
    axes: [across === 'order' ? { ...plainAxis(kAcross[across]), incrs: kWholeSteps } : plainAxis(kAcross[across], seconds), rewardAxis('reward against the baseline')],
    legend: { show: false },
    cursor: { drag: { x: true, y: false }, points: { show: false }, y: false },
    series: [
      {},
      { stroke: colour('accent'), width: 1.5, paths: stepped, points: { show: false } },
      { paths: stepped, stroke: 'transparent', points: { show: false } },
      { paths: stepped, stroke: 'transparent', points: { show: false } },
      { paths: () => null, points: { show: false } },
    ],
    bands: across === 'cost' ? [] : [{ series: [3, 2], fill: colour('band') }],
    hooks: {
      draw: [
        (plot) => {
          const { curve, columns, shown } = held();
          zeroLine(plot);
          const hidden = (row: number): boolean => shown !== null && !shown.has(row);
          drawPoints(plot, curve.x, curve.reward, painted, (index) => {
            const row = curve.rows[index] as number;
            return hidden(row) ? -1 : curve.same[index] === true ? kSame : kLooks[side(raceReward(columns, row))];
          });
          // What failed has no reward: it stands at the lower edge.
          const floor = plot.scales['y']?.min ?? 0;
          const lane = floor + ((plot.scales['y']?.max ?? 1) - floor) * 0.02;
          const failed = curve.reward.map((reward) => (reward === null ? lane : null));
          drawPoints(plot, curve.x, failed, painted, (index) => (hidden(curve.rows[index] as number) ? -1 : kFailed));
        },
      ],
      setCursor: [
        (plot) => {
          const { left = -1, top = -1 } = plot.cursor;
          setUnder(left < 0 ? -1 : nearestPoint(plot, held().curve.x, held().curve.reward, left, top));
        },
      ],
      ready: [
        (plot) => {
          plot.over.addEventListener('click', () => {
            const { left = -1, top = -1 } = plot.cursor;
            const { curve, columns } = held();
            const index = nearestPoint(plot, curve.x, curve.reward, left, top);
            const row = curve.rows[index];
            if (row !== undefined && plot.select.width < 3) {
              setQuery({ candidate: columns.id[row] ?? null });
            }
          });
        },
      ],
    },
  };
}

const stepped: uPlot.Series.PathBuilder = (plot, series, from, to) => uPlot.paths.stepped?.({ align: 1 })(plot, series, from, to) ?? null;

function zeroLine(plot: uPlot): void {
  const top = Math.round(plot.valToPos(0, 'y', true));
  if (top < plot.bbox.top || top > plot.bbox.top + plot.bbox.height) {
    return;
  }
  plot.ctx.save();
  plot.ctx.strokeStyle = colour('line-strong');
  plot.ctx.lineWidth = devicePixelRatio;
  plot.ctx.beginPath();
  plot.ctx.moveTo(plot.bbox.left, top);
  plot.ctx.lineTo(plot.bbox.left + plot.bbox.width, top);
  plot.ctx.stroke();
  plot.ctx.restore();
}

// The first and the last candidate are points as whole as the others.
function roomAround(_plot: uPlot, min: number | null, max: number | null): [number, number] {
  const [low, high] = [min ?? 0, max ?? 1];
  const room = (high - low || 1) * 0.015;
  return [low - room, high + room];
}

const kWholeSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000];

// Zero is always in sight: a curve that begins at its least value makes noise look like a gain.
function rewardRange(_plot: uPlot, min: number, max: number): [number, number] {
  const low = Math.min(0, min ?? 0);
  const high = Math.max(0.005, max ?? 0);
  const room = (high - low) * 0.08;
  return [low - room, high + room];
}
