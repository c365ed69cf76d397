// Axes in the colours of the theme, with numbers that are read, not counted.
import uPlot from 'uplot';
import { signed } from '../format/number';
import { percentOf } from '../format/reward';
import { colour } from '../ui/theme';

function look(): Pick<uPlot.Axis, 'stroke' | 'font' | 'labelFont' | 'grid' | 'ticks'> {
  const sans = colour('sans') || 'sans-serif';
  return {
    stroke: colour('quiet'),
    font: `11px ${sans}`,
    labelFont: `11px ${sans}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line-strong'), width: 1, size: 4 },
  };
}

export function plainAxis(label: string, values?: (value: number) => string): uPlot.Axis {
  const axis: uPlot.Axis = { ...look(), label, labelSize: 18, labelGap: 0, size: 26, gap: 3 };
  if (values) {
    axis.values = (_plot, splits) => splits.map(values);
  }
  return axis;
}

export function sideAxis(label: string, values: (value: number) => string, scale = 'y'): uPlot.Axis {
  return { ...look(), scale, label, labelSize: 18, labelGap: 2, size: 58, gap: 4, values: (_plot, splits) => splits.map(values) };
}

// Log ratios, written as percent.
export function rewardAxis(label = 'reward'): uPlot.Axis {
  return {
    ...sideAxis(label, String),
    // As many digits as tell one mark from the next.
    values: (_plot, splits, _axis, _space, step) => splits.map((value) => `${signed(percentOf(value), step < 0.001 ? 2 : step < 0.01 ? 1 : 0)} %`),
  };
}

// Times on the scale are seconds, as uPlot has them.
export function timeAxis(): uPlot.Axis {
  return { ...look(), size: 36, gap: 3, values: kTimes };
}

// Dates as the tables write them. A row: least step in seconds, text, and what is put below it where a year, day,
// or minute begins.
const kDay = 24 * 3600;
const kDate = '\n{YYYY}-{MM}-{DD}';
const kTimes: (string | number | null)[][] = [
  [kDay * 365, '{YYYY}', null, null, null, null, null, null, 1],
  [kDay * 28, '{YYYY}-{MM}', null, null, null, null, null, null, 1],
  [kDay, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', kDate, null, kDate, null, null, null, 1],
  [1, ':{ss}', `${kDate} {HH}:{mm}`, null, `${kDate} {HH}:{mm}`, null, '\n{HH}:{mm}', null, 1],
];
