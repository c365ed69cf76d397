// The paired samples of a comparison, of one metric and, where a benchmark has several, one input.
import type { PairColumns } from '../../api/shapes_campaign';

export interface PairSeries {
  rows: number[];
  baseline: number[];
  candidate: number[];
  logRatio: number[];
}

export function inputsOf(pairs: PairColumns): string[] {
  return [...new Set(pairs.input.map((input) => input ?? ''))].sort();
}

export function metricsOf(pairs: PairColumns): string[] {
  return [...new Set(pairs.metric)];
}

// `input` null: all of them together; values of different inputs lie on one scale then, log ratios do anyway.
export function seriesOf(pairs: PairColumns, metric: string, input: string | null): PairSeries {
  const series: PairSeries = { rows: [], baseline: [], candidate: [], logRatio: [] };
  pairs.pair.forEach((_, row) => {
    if (pairs.metric[row] === metric && (input === null || (pairs.input[row] ?? '') === input)) {
      series.rows.push(row);
      series.baseline.push(pairs.baseline[row] as number);
      series.candidate.push(pairs.candidate[row] as number);
      series.logRatio.push(pairs.log_ratio[row] as number);
    }
  });
  return series;
}

const kUnits: Record<string, string> = {
  cpu_time: 'seconds of CPU time',
  wall_time: 'seconds of wall time',
  compile_time: 'seconds of compiling',
  peak_rss_bytes: 'bytes at the peak',
  text_bytes: 'bytes of code',
  binary_bytes: 'bytes',
  instructions: 'instructions',
  hardware_instructions: 'instructions',
  cycles: 'cycles',
  energy: 'joules',
  printed: 'as printed',
};

export function unitOf(metric: string): string {
  return kUnits[metric] ?? metric;
}
