// The ramp: the share of traffic over time as it was decided, with a mark for each decision, and the windows below it,
// lost ones crossed out.
import type { CanaryDecision, CanaryPage, WindowColumns } from '../../api/shapes_canary';
import { plural } from '../../format/number';
import { moment } from '../../format/time';
import { plainWord, toneOf } from '../../ui/badges';
import { lostBecause, segmentsOf, stretchesOf, type Span } from './ratio_data';
import { useWidth } from '../../charts/width';
import { clock, kLeastWidth, kPlotLeft, kPlotRight, rampPlace, timesIn } from './plot_frame';

const kTop = 14;
const kHeight = 110;
const kWindowRow = 18;
const kMostMarks = 400;

export function Timeline({ page, span }: { page: CanaryPage; span: Span }) {
  const [place, width] = useWidth(kLeastWidth);
  const { decisions, windows, canary } = page;
  // The whole is a step, too, once all traffic goes there.
  const steps = canary.status.share === 100 ? [...canary.spec.ramp.steps, 100] : canary.spec.ramp.steps;
  const segments = segmentsOf(decisions, Date.parse(canary.created_at), span.to);
  const x = (time: number): number => kPlotLeft + ((Math.max(span.from, Math.min(span.to, time)) - span.from) / (span.to - span.from)) * (width - kPlotLeft - kPlotRight);
  const y = (share: number): number => kTop + (1 - rampPlace(steps, share)) * kHeight;
  const bottom = kTop + kHeight;
  return (
    <div ref={place}>
      <svg width={width} height={bottom + kWindowRow + 40} role="img" aria-label={spokenRamp(page)}>
        {[0, ...steps].map((step) => (
          <g key={step}>
            <line class="grid" x1={kPlotLeft} x2={width - kPlotRight} y1={y(step)} y2={y(step)} />
            <text x={kPlotLeft - 8} y={y(step) + 4} text-anchor="end">{step} %</text>
          </g>
        ))}
        {segments.filter((segment) => segment.to > span.from).map((segment, index) => (
          <g key={index} class={`ramp ${toneOf(segment.state)}`}>
            <title>{`${plainWord(segment.state)}, ${segment.share} %, from ${moment(new Date(segment.from).toISOString())}`}</title>
            <rect x={x(segment.from)} width={Math.max(0.5, x(segment.to) - x(segment.from))} y={y(segment.share)} height={bottom - y(segment.share)} />
            <line x1={x(segment.from)} x2={Math.max(x(segment.to), x(segment.from) + 0.5)} y1={y(segment.share)} y2={y(segment.share)} />
          </g>
        ))}
        {decisions.filter((decision) => Date.parse(decision.at) >= span.from).map((decision, index) => <Mark key={index} decision={decision} x={x(Date.parse(decision.at))} y={y(decision.share)} />)}
        <WindowMarks windows={windows.columns} x={x} y={bottom + 12} />
        <text x={kPlotLeft - 8} y={bottom + kWindowRow + 1} text-anchor="end">windows</text>
        <TimeMarks span={span} width={width} x={x} y={bottom + kWindowRow + 10} />
      </svg>
    </div>
  );
}

function Mark({ decision, x, y }: { decision: CanaryDecision; x: number; y: number }) {
  return (
    <g class={`decision ${toneOf(decision.state)}`}>
      <title>{`${moment(decision.at)}: ${plainWord(decision.state)} at ${decision.share} %. ${decision.reason}`}</title>
      <circle cx={x} cy={y} r={4} />
    </g>
  );
}

function WindowMarks({ windows, x, y }: { windows: WindowColumns; x: (time: number) => number; y: number }) {
  const many = windows.start.length > kMostMarks;
  return (
    <g>
      {many ? stretchesOf(windows).map((stretch) => <rect key={stretch.from} class="window" x={x(stretch.from)} width={Math.max(0.5, x(stretch.to) - x(stretch.from))} y={y + 1} height={4} />) : null}
      {windows.start.map((start, row) => {
        const lost = lostBecause(windows, row);
        const left = x(start);
        const right = x(start + (windows.seconds[row] ?? 0) * 1000);
        const middle = (left + right) / 2;
        return lost ? (
          <g key={row} class="lost">
            <title>{`window ${windows.number[row]} was lost: ${plainWord(lost)}`}</title>
            <path d={`M${middle - 3},${y}l6,6m0,-6l-6,6`} />
          </g>
        ) : many ? null : <rect key={row} class="window" x={left + 0.5} width={Math.max(0.5, right - left - 1)} y={y + 1} height={4}><title>{`window ${windows.number[row]}`}</title></rect>;
      })}
    </g>
  );
}

export function TimeMarks({ span, width, x, y }: { span: Span; width: number; x: (time: number) => number; y: number }) {
  const marks = timesIn(span, Math.max(2, Math.floor(width / 110)));
  return (
    <g>
      {marks.map((mark) => (
        <g key={mark}>
          <line class="axis" x1={x(mark)} x2={x(mark)} y1={y - 2} y2={y + 3} />
          <text x={x(mark)} y={y + 14} text-anchor={x(mark) > width - 30 ? 'end' : 'middle'}>{clock(mark, span)}</text>
        </g>
      ))}
    </g>
  );
}

function spokenRamp(page: CanaryPage): string {
  const { canary, decisions, windows } = page;
  const lost = windows.columns.number.filter((_, row) => lostBecause(windows.columns, row) !== null).length;
  const steps = decisions.map((decision) => `${plainWord(decision.state)} at ${decision.share} %`).join(', then ');
  return `Ramp of the canary: ${steps || 'prepared'}. ${plural(windows.rows, 'window')}, ${lost} lost. Now ${plainWord(canary.status.state)} at ${canary.status.share} %. The table of decisions has the reasons.`;
}
