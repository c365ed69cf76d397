// A target's confirmed gains, campaign by campaign, in a strip the height of a row: whiskers are intervals, a
// hollow mark is a campaign that ended without a confirmed gain.
import type { TrendPoint } from '../../api/shapes_overview';
import { percent, rewardText } from '../../format/reward';

const kWidth = 160;
const kHeight = 24;

export function Trend({ points }: { points: TrendPoint[] }) {
  if (points.length === 0) {
    return <span class="quiet">no campaign has ended</span>;
  }
  const ends = points.flatMap((point) => (point.low !== null && point.high !== null ? [point.low, point.high] : []));
  const top = Math.max(0.005, ...ends);
  const bottom = Math.min(-0.002, ...ends);
  const y = (value: number): number => 2 + ((top - value) / (top - bottom)) * (kHeight - 4);
  const x = (index: number): number => (points.length === 1 ? kWidth / 2 : 5 + (index / (points.length - 1)) * (kWidth - 10));
  return (
    <svg width={kWidth} height={kHeight} role="img" aria-label={spokenTrend(points)}>
      <line class="zero" x1={0} x2={kWidth} y1={y(0)} y2={y(0)} />
      {points.map((point, index) =>
        point.reward !== null && point.low !== null && point.high !== null ? (
          <g key={point.campaign} class={point.low > 0 ? 'gain' : point.high < 0 ? 'loss' : 'unsure'}>
            <title>{`${point.at.slice(0, 10)}: ${rewardText({ value: point.reward, low: point.low, high: point.high })}`}</title>
            <line x1={x(index)} x2={x(index)} y1={y(point.high)} y2={y(point.low)} stroke-width={1.5} />
            <circle cx={x(index)} cy={y(point.reward)} r={2.5} />
          </g>
        ) : (
          <circle key={point.campaign} class="axis" fill="none" cx={x(index)} cy={y(0)} r={2.5}>
            <title>{`${point.at.slice(0, 10)}: no confirmed gain (${point.state})`}</title>
          </circle>
        ),
      )}
    </svg>
  );
}

function spokenTrend(points: readonly TrendPoint[]): string {
  const confirmed = points.filter((point) => point.reward !== null);
  const last = confirmed[confirmed.length - 1];
  return (
    `${points.length} campaigns ended, ${confirmed.length} with a confirmed gain` +
    (last && last.reward !== null ? `; the last confirmed ${percent(last.reward)}` : '')
  );
}
