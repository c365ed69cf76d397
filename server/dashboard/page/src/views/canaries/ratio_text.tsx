// A log ratio with its interval, which may have no ends yet: then that is said.
import type { Ratio } from '../../api/shapes_canary';
import { kNotMeasured } from '../../format/number';
import { percent, type Interval } from '../../format/reward';
import { RewardText } from '../../ui/interval';

export function intervalOf(ratio: Ratio | null | undefined): Interval | null {
  return ratio && ratio.value !== null && ratio.low !== null && ratio.high !== null
    ? { value: ratio.value, low: ratio.low, high: ratio.high }
    : null;
}

export function RatioText({ ratio, digits }: { ratio: Ratio | null | undefined; digits?: number }) {
  const whole = intervalOf(ratio);
  if (whole) {
    return digits === undefined ? <RewardText reward={whole} /> : <RewardText reward={whole} digits={digits} />;
  }
  return ratio && ratio.value !== null
    ? <span>{percent(ratio.value, digits)} <span class="quiet">interval not known yet</span></span>
    : <span class="quiet">{kNotMeasured}</span>;
}
