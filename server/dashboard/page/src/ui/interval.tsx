// A value never stands alone: beside it its interval, as text and as a mark on a scale that all rows of a
// table share, as in a forest plot.
import type { Interval } from '../format/reward';
import { interval, percent, side, spoken } from '../format/reward';
import { kNotMeasured } from '../format/number';

const kWidth = 120;
const kHeight = 16;

export function RewardText({ reward, digits }: { reward: Interval | null | undefined; digits?: number }) {
  if (!reward) {
    return <span class="quiet">{kNotMeasured}</span>;
  }
  const tone = side(reward);
  return (
    <span>
      <span class={tone === 'gain' || tone === 'loss' ? tone : ''}>{percent(reward.value, digits)}</span>{' '}
      <span class="quiet">{interval(reward, digits)}</span>
    </span>
  );
}

// `reach`: the log ratio at the scale's either end. What lies outside is cut off with an arrow head.
export function IntervalMark({ reward, reach }: { reward: Interval | null | undefined; reach: number }) {
  if (!reward) {
    return null;
  }
  const at = (value: number): number => kWidth / 2 + (Math.max(-reach, Math.min(reach, value)) / reach) * (kWidth / 2 - 6);
  const low = at(reward.low);
  const high = at(reward.high);
  const middle = kHeight / 2;
  return (
    <svg width={kWidth} height={kHeight} role="img" aria-label={spoken(reward)}>
      <line class="zero" x1={kWidth / 2} x2={kWidth / 2} y1={0} y2={kHeight} />
      <g class={side(reward)}>
        <line x1={low} x2={Math.max(high, low + 1)} y1={middle} y2={middle} stroke-width={2} />
        {reward.low < -reach ? <path d={`M${low - 5},${middle}l5,-3.5v7z`} /> : null}
        {reward.high > reach ? <path d={`M${high + 5},${middle}l-5,-3.5v7z`} /> : null}
        {Math.abs(reward.value) <= reach ? <circle cx={at(reward.value)} cy={middle} r={3} /> : null}
      </g>
    </svg>
  );
}

// A scale that shows intervals whole, 1 % at least: all of a few; of many all but the farthest 3 %, so that one
// wild result does not press the others into a dot.
export function reachOf(rewards: readonly (Interval | null | undefined)[]): number {
  const ends: number[] = [];
  for (const reward of rewards) {
    if (reward) {
      ends.push(Math.max(Math.abs(reward.low), Math.abs(reward.high)));
    }
  }
  ends.sort((a, b) => a - b);
  return Math.max(0.01, ends[ends.length <= 20 ? ends.length - 1 : Math.floor((ends.length - 1) * 0.97)] ?? 0.01);
}
