// One indicator over the windows of a canary. As a log ratio: each window alone as a point, all windows until then as a
// line with its interval, the harm that is tolerated and the harm that would be seen as lines. As values: both groups,
// and the hard limit. A lost window is a crossed-out place, never a number.
import type { Indicator } from '../../api/shapes_canary';
import { ticks } from '../../charts/ticks';
import { fixed, kNotMeasured, plural, signed } from '../../format/number';
import { percent, percentOf } from '../../format/reward';
import { sliName, sliValue } from '../../format/sli';
import { plainWord } from '../../ui/badges';
import { useWidth } from '../../charts/width';
import { kLeastWidth, kPlotLeft, kPlotRight } from './plot_frame';
import { bandsOf, reachOfRatios, type RatioPoint, type Span } from './ratio_data';
import { TimeMarks } from './timeline';

const kHeight = 150;
const kTop = 8;
export const kMostPoints = 400;

interface ChartProps {
  indicator: Indicator;
  points: RatioPoint[];
  span: Span;
}

type Place = (value: number) => number;

export function RatioChart({ indicator, points, span }: ChartProps) {
  const [place, width] = useWidth(kLeastWidth);
  const reach = reachOfRatios(points, indicator.tolerance);
  const x = placeOf(span, width);
  const y: Place = (value) => kTop + ((reach - Math.max(-reach, Math.min(reach, value))) / (2 * reach)) * kHeight;
  const step = Math.ceil(points.length / kMostPoints);
  const judged = points.filter((point) => point.judged && point.detectable !== null);
  return (
    <div ref={place}>
      <svg width={width} height={kTop + kHeight + 28} role="img" aria-label={spokenRatio(indicator, points)}>
        <Lost points={points} x={x} />
        {ticks(percentOf(-reach), percentOf(reach), 5).map((mark) => (
          <g key={mark}>
            <line class="grid" x1={kPlotLeft} x2={width - kPlotRight} y1={y(Math.log1p(mark / 100))} y2={y(Math.log1p(mark / 100))} />
            <text x={kPlotLeft - 8} y={y(Math.log1p(mark / 100)) + 4} text-anchor="end">{`${signed(mark, reach < 0.02 ? 1 : 0)} %`}</text>
          </g>
        ))}
        <line class="axis" x1={kPlotLeft} x2={width - kPlotRight} y1={y(0)} y2={y(0)} />
        {bandsOf(points).map((band, index) => (
          <g key={index} class="ratio">
            <path class="band" d={`M${band.map((at) => `${x(at.x)},${y(at.high)}`).join('L')}L${[...band].reverse().map((at) => `${x(at.x)},${y(at.low)}`).join('L')}Z`} />
            <path class="line" d={`M${band.map((at) => `${x(at.x)},${y(at.value)}`).join('L')}`} />
          </g>
        ))}
        <line class="tolerated" x1={kPlotLeft} x2={width - kPlotRight} y1={y(-indicator.tolerance)} y2={y(-indicator.tolerance)} />
        {judged.length > 1 ? <path class="detectable" d={`M${judged.map((point) => `${x(middle(point))},${y(-(point.detectable ?? 0))}`).join('L')}`} /> : null}
        {points.filter((_, row) => row % step === 0).map((point) => point.own === null ? null : (
          <Point key={point.window} point={point} cx={x(middle(point))} cy={y(point.own)} beyond={Math.abs(point.own) > reach} />
        ))}
        <TimeMarks span={span} width={width} x={x} y={kTop + kHeight + 4} />
      </svg>
    </div>
  );
}

export function ValueChart({ indicator, points, span }: ChartProps) {
  const [place, width] = useWidth(kLeastWidth);
  const x = placeOf(span, width);
  const values = points.flatMap((point) => [point.baseline, point.canary].filter((value) => value !== null));
  const top = Math.max(0, ...values, ...(indicator.limit === null ? [] : [indicator.limit])) * 1.06 || 1;
  const y: Place = (value) => kTop + (1 - value / top) * kHeight;
  const step = Math.ceil(points.length / kMostPoints);
  return (
    <div ref={place}>
      <svg width={width} height={kTop + kHeight + 28} role="img" aria-label={spokenValues(indicator, points)}>
        <Lost points={points} x={x} />
        {ticks(0, top, 5).map((mark) => (
          <g key={mark}>
            <line class="grid" x1={kPlotLeft} x2={width - kPlotRight} y1={y(mark)} y2={y(mark)} />
            <text x={kPlotLeft - 8} y={y(mark) + 4} text-anchor="end">{sliValue(indicator.sli, mark)}</text>
          </g>
        ))}
        {indicator.limit === null ? null : <line class="limit" x1={kPlotLeft} x2={width - kPlotRight} y1={y(indicator.limit)} y2={y(indicator.limit)} />}
        {points.filter((_, row) => row % step === 0).map((point) => (
          <g key={point.window}>
            {point.baseline === null ? null : <circle class="strip-baseline" cx={x(middle(point))} cy={y(point.baseline)} r={2.4}><title>{`window ${point.window}, baseline: ${sliValue(indicator.sli, point.baseline)}`}</title></circle>}
            {point.canary === null ? null : <circle class="strip-candidate" cx={x(middle(point))} cy={y(point.canary)} r={2.4}><title>{`window ${point.window}, canary: ${sliValue(indicator.sli, point.canary)}`}</title></circle>}
          </g>
        ))}
        <TimeMarks span={span} width={width} x={x} y={kTop + kHeight + 4} />
      </svg>
    </div>
  );
}

function placeOf(span: Span, width: number): Place {
  return (time) => kPlotLeft + ((time - span.from) / (span.to - span.from)) * (width - kPlotLeft - kPlotRight);
}

function middle(point: RatioPoint): number {
  return (point.from + point.to) / 2;
}

function Lost({ points, x }: { points: RatioPoint[]; x: Place }) {
  return (
    <g class="lost">
      {points.map((point) => point.lost === null ? null : (
        <g key={point.window}>
          <title>{`window ${point.window} was lost: ${plainWord(point.lost)}`}</title>
          <rect x={x(point.from)} width={Math.max(1, x(point.to) - x(point.from))} y={kTop} height={kHeight} />
          <path d={`M${x(middle(point)) - 3},${kTop + kHeight - 8}l6,6m0,-6l-6,6`} />
        </g>
      ))}
    </g>
  );
}

// Beyond the chart's reach: a triangle at its edge, which points to where it lies.
function Point({ point, cx, cy, beyond }: { point: RatioPoint; cx: number; cy: number; beyond: boolean }) {
  const title = <title>{`window ${point.window} alone: ${percent(point.own, 2)}`}</title>;
  return beyond
    ? <path class="point" d={(point.own ?? 0) > 0 ? `M${cx - 4},${cy + 6}h8l-4,-6z` : `M${cx - 4},${cy - 6}h8l-4,6z`}>{title}</path>
    : <circle class="point" cx={cx} cy={cy} r={2.2}>{title}</circle>;
}

function lostText(points: readonly RatioPoint[]): string {
  const lost = points.filter((point) => point.lost !== null);
  return `${plural(points.length, 'window')}, ${lost.length} lost${lost.length > 0 && lost.length <= 5 ? ` (${lost.map((point) => point.window).join(', ')})` : ''}`;
}

function spokenRatio(indicator: Indicator, points: readonly RatioPoint[]): string {
  const { value, low, high } = indicator.reward;
  const known = value === null ? kNotMeasured : low === null || high === null ? `${percent(value)}, interval not known yet` : `${percent(value)}, interval from ${percent(low)} to ${percent(high)}`;
  const seen = indicator.detectable === null ? '' : `; harm of ${fixed(percentOf(indicator.detectable), 1)} % would be seen`;
  return `${sliName(indicator.sli)}, canary against baseline over ${lostText(points)}: ${known}${seen}. The tables have the numbers.`;
}

function spokenValues(indicator: Indicator, points: readonly RatioPoint[]): string {
  const limit = indicator.limit === null ? 'no hard limit' : `hard limit ${sliValue(indicator.sli, indicator.limit)}`;
  return `${sliName(indicator.sli)} of both groups over ${lostText(points)}; ${limit}. The tables have the numbers.`;
}
