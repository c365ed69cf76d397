// Noise over time: each self-check of a worker is the baseline compared with itself, and its noise is what any
// effect has to stand out from. One line for each worker and target.
import { useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import type { CheckColumns } from '../../api/shapes_overview';
import { sideAxis, timeAxis } from '../../charts/axes';
import { Plot } from '../../charts/plot';
import { fixed } from '../../format/number';
import { colour } from '../../ui/theme';

export interface NoiseLine {
  name: string;
  rows: number[];
}

export function noiseLines(checks: CheckColumns, worker: string, target: string): NoiseLine[] {
  const lines = new Map<string, NoiseLine>();
  checks.worker.forEach((own, row) => {
    const ownTarget = checks.target[row] ?? '';
    if ((worker !== '' && own !== worker) || (target !== '' && ownTarget !== target)) {
      return;
    }
    const name = `${own}, ${ownTarget}`;
    const line = lines.get(name) ?? { name, rows: [] };
    line.rows.push(row);
    lines.set(name, line);
  });
  return [...lines.values()];
}

// Dashes as well as colours: at eight lines, colours alone are not told apart.
const kDashes = [[], [6, 4], [2, 3], [8, 3, 2, 3]];
const kColours = ['accent', 'loss', 'gain', 'change', 'warn', 'baseline'];

export function NoiseChart({ checks, lines }: { checks: CheckColumns; lines: NoiseLine[] }) {
  const data = useMemo((): uPlot.AlignedData => {
    const times = [...new Set(lines.flatMap((line) => line.rows.map((row) => checks.at[row] ?? 0)))].sort((a, b) => a - b);
    const places = new Map(times.map((time, index) => [time, index]));
    const series = lines.map((line) => {
      const values = new Array<number | null>(times.length).fill(null);
      for (const row of line.rows) {
        const place = places.get(checks.at[row] ?? 0);
        if (place !== undefined) {
          values[place] = checks.noise[row] ?? null;
        }
      }
      return values;
    });
    return [times.map((time) => time / 1000), ...series];
  }, [checks, lines]);
  if (lines.length === 0) {
    return <p class="empty">No self-check was made yet.</p>;
  }
  return (
    <Plot
      label={`Noise of ${lines.length} lines over time: ${lines.map((line) => line.name).join('; ')}. The table of self-checks has the numbers.`}
      height={240}
      data={data}
      remake={lines.map((line) => line.name).join('|')}
      options={() => ({
        scales: { y: { range: (_plot, _min, max) => [0, (max ?? 0.01) * 1.1] } },
        axes: [timeAxis(), sideAxis('noise of a pair', (value) => `${fixed(value * 100, 1)} %`)],
        cursor: { drag: { x: true, y: false } },
        legend: { live: false },
        series: [
          { label: 'time' },
          ...lines.map((line, index) => ({
            label: line.name,
            stroke: colour(kColours[index % kColours.length] ?? 'accent'),
            dash: kDashes[Math.floor(index / kColours.length) % kDashes.length] ?? [],
            width: 1.25,
            spanGaps: true,
            points: { show: true, size: 4 },
          })),
        ],
      })}
    />
  );
}
