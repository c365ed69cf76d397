// What the charts of a canary have in common: their margins, and the same place for the same time.
import type { Span } from './ratio_data';

export const kPlotLeft = 64;
export const kPlotRight = 14;
export const kLeastWidth = 240;

function two(value: number): string {
  return String(value).padStart(2, '0');
}

const kSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];

// Round times, as a clock on the wall has them where the reader sits; `most` of them. Milliseconds.
export function timesIn(span: Span, most: number): number[] {
  const offset = new Date(span.from).getTimezoneOffset() * 60;
  const from = span.from / 1000 - offset;
  const to = span.to / 1000 - offset;
  const step = kSteps.find((one) => (to - from) / one <= most) ?? Math.ceil((to - from) / most / 604_800) * 604_800;
  const times: number[] = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
    times.push((time + offset) * 1000);
  }
  return times;
}

// The ramp's steps stand equally far apart, however small the first ones are; between two of them the scale is even.
export function rampPlace(steps: readonly number[], share: number): number {
  const marks = [0, ...steps];
  const next = marks.findIndex((mark) => mark >= share);
  if (next <= 0) {
    return next === 0 ? 0 : 1;
  }
  const below = marks[next - 1] ?? 0;
  return (next - 1 + (share - below) / ((marks[next] ?? below + 1) - below)) / steps.length;
}

// As much of a time as tells one mark of the axis from the next.
export function clock(time: number, span: Span): string {
  const at = new Date(time);
  const day = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const hours = `${two(at.getHours())}:${two(at.getMinutes())}`;
  const all = (span.to - span.from) / 1000;
  return all > 3 * 86_400 ? day : all > 86_400 ? `${day} ${hours}` : all > 600 ? hours : `${hours}:${two(at.getSeconds())}`;
}
