// Boxes and strips: every sample as a point, the quartiles as a box, whiskers to the farthest sample within
// 1.5 boxes. SVG, since a comparison has some hundred samples; past the limit the strip shows every n-th, and says so.
import { useMemo } from 'preact/hooks';
import { boxOf, swarm, type Box } from './distribution';
import { ticks } from './ticks';
import { useWidth } from './width';

export interface Strip {
  name: string;
  values: number[];
  look: 'strip-baseline' | 'strip-candidate';
}

interface StripPlotProps {
  strips: Strip[];
  label: string; // what is seen, for a reader of screens
  axis: string;
  format: (value: number) => string;
  zero?: boolean; // a line at zero, which is kept in sight
  interval?: { low: number; value: number; high: number } | null; // drawn below the strips
}

const kRow = 62;
const kLeft = 92;
const kMostPoints = 600;

export function StripPlot({ strips, label, axis, format, zero, interval }: StripPlotProps) {
  const [place, width] = useWidth(280);
  const scale = useMemo(() => scaleOf(strips, width, zero === true, interval ?? null), [strips, width, zero, interval]);
  if (!scale) {
    return <p class="empty">No samples.</p>;
  }
  const rows = strips.length + (interval ? 0.6 : 0);
  const bottom = rows * kRow + 4;
  return (
    <div ref={place}>
      <svg width={width} height={bottom + 38} role="img" aria-label={label}>
        {scale.marks.map((mark) => (
          <g key={mark}>
            <line class="grid" x1={scale.at(mark)} x2={scale.at(mark)} y1={0} y2={bottom} />
            <text x={scale.at(mark)} y={bottom + 14} text-anchor="middle">{format(mark)}</text>
          </g>
        ))}
        {zero ? <line class="axis" x1={scale.at(0)} x2={scale.at(0)} y1={0} y2={bottom} /> : null}
        {strips.map((strip, row) => <StripRow key={strip.name} strip={strip} top={row * kRow} at={scale.at} />)}
        {interval ? <IntervalRow interval={interval} top={strips.length * kRow} at={scale.at} /> : null}
        <text x={kLeft + (width - kLeft) / 2} y={bottom + 32} text-anchor="middle">{axis}</text>
      </svg>
    </div>
  );
}

function StripRow({ strip, top, at }: { strip: Strip; top: number; at: (value: number) => number }) {
  const box = useMemo(() => boxOf(strip.values), [strip.values]);
  const step = Math.ceil(strip.values.length / kMostPoints);
  const some = useMemo(() => strip.values.filter((_, index) => index % step === 0), [strip.values, step]);
  const offsets = swarm(some.map((value) => at(value) / 5), 5);
  return (
    <g>
      <text x={kLeft - 10} y={top + 22} text-anchor="end">{strip.name}</text>
      <text x={kLeft - 10} y={top + 36} text-anchor="end">
        {step > 1 ? `1 in ${step} of ${strip.values.length}` : `n = ${strip.values.length}`}
      </text>
      {some.map((value, index) => (
        <circle key={index} class={strip.look} cx={at(value)} cy={top + 20 + (offsets[index] ?? 0) * 5} r={2.4} />
      ))}
      {box ? <BoxMark box={box} y={top + 46} at={at} /> : null}
    </g>
  );
}

function BoxMark({ box, y, at }: { box: Box; y: number; at: (value: number) => number }) {
  return (
    <g>
      <line class="box-line" x1={at(box.low)} x2={at(box.high)} y1={y} y2={y} />
      <rect class="box" x={at(box.q1)} y={y - 6} width={Math.max(1, at(box.q3) - at(box.q1))} height={12} />
      <line class="box-line" x1={at(box.median)} x2={at(box.median)} y1={y - 6} y2={y + 6} stroke-width={2.5} />
    </g>
  );
}

function IntervalRow({ interval, top, at }: { interval: { low: number; value: number; high: number }; top: number; at: (value: number) => number }) {
  const y = top + 16;
  const tone = interval.low > 0 ? 'gain' : interval.high < 0 ? 'loss' : 'unsure';
  return (
    <g class={tone}>
      <text x={kLeft - 10} y={y + 4} text-anchor="end" stroke="none">interval</text>
      <line x1={at(interval.low)} x2={at(interval.high)} y1={y} y2={y} stroke-width={3} />
      <line x1={at(interval.low)} x2={at(interval.low)} y1={y - 6} y2={y + 6} stroke-width={2} />
      <line x1={at(interval.high)} x2={at(interval.high)} y1={y - 6} y2={y + 6} stroke-width={2} />
      <circle cx={at(interval.value)} cy={y} r={4.5} />
    </g>
  );
}

function scaleOf(strips: readonly Strip[], width: number, zero: boolean, interval: { low: number; high: number } | null) {
  let low = Infinity;
  let high = -Infinity;
  for (const strip of strips) {
    for (const value of strip.values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (interval) {
    low = Math.min(low, interval.low);
    high = Math.max(high, interval.high);
  }
  if (zero) {
    low = Math.min(low, 0);
    high = Math.max(high, 0);
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) {
    return null;
  }
  const room = (high - low || Math.abs(high) || 1) * 0.04;
  low -= room;
  high += room;
  const at = (value: number): number => kLeft + ((value - low) / (high - low)) * (width - kLeft - 14);
  return { at, marks: ticks(low, high, Math.max(3, Math.floor((width - kLeft) / 90))) };
}
