// A reward is ln(T_baseline / T_candidate). People read percent: how much faster (or smaller) the
// candidate is. A value never stands without its interval.
import { kNotMeasured, signed } from './number';

export interface Interval {
  value: number;
  low: number;
  high: number;
}

export function percentOf(logRatio: number): number {
  return Math.expm1(logRatio) * 100;
}

export function percent(logRatio: number | null | undefined, digits = 1): string {
  return logRatio === null || logRatio === undefined ? kNotMeasured : `${signed(percentOf(logRatio), digits)} %`;
}

export function interval(reward: { low: number; high: number }, digits = 1): string {
  return `[${signed(percentOf(reward.low), digits)}, ${signed(percentOf(reward.high), digits)}]`;
}

// "+2.8 % [+0.3, +5.7]"
export function rewardText(reward: Interval | null | undefined, digits = 1): string {
  return reward ? `${percent(reward.value, digits)} ${interval(reward, digits)}` : kNotMeasured;
}

// In words, for a reader of screens.
export function spoken(reward: Interval | null | undefined, confidence?: number): string {
  if (!reward) {
    return kNotMeasured;
  }
  const share = confidence === undefined ? '' : `${Math.round(confidence * 100)} % `;
  return `${percent(reward.value)}, ${share}interval from ${percent(reward.low)} to ${percent(reward.high)}`;
}

// Which side of zero the whole interval is on; 'unsure' where zero lies within.
export function side(reward: { low: number; high: number } | null | undefined): 'gain' | 'loss' | 'unsure' | 'none' {
  if (!reward) {
    return 'none';
  }
  if (reward.low > 0) {
    return 'gain';
  }
  return reward.high < 0 ? 'loss' : 'unsure';
}
