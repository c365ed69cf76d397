// The chart of a history with its handles: the mouse drags and wheels, the keyboard has buttons and arrows.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Series } from '../../charts/decimate';
import { SeriesPlot, type Mark } from '../../charts/series_plot';
import { panned, within, zoomed, type Span } from '../../charts/window';
import { setQuery } from '../../route/router';
import { useTheme } from '../../ui/theme';

interface HistoryChartProps {
  label: string;
  series: Series;
  marks: Mark[];
  time: boolean;
  xLabel: string;
  xText?: (x: number) => string;
  yLabel: string;
  yText: (value: number) => string;
  zero: boolean;
  span: Span | null; // to begin with
  jump: Span | null; // another one: go there
  describe: (index: number) => string;
  open: (index: number) => void;
  moved: (span: Span) => void;
}

const kHeight = 340;
const kSettleMs = 250;

export function HistoryChart(props: HistoryChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<SeriesPlot | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const theme = useTheme();
  const whole = useMemo(() => wholeOf(props.series), [props.series]);
  const now = useRef(props);
  now.current = props;
  useEffect(() => {
    if (!box.current || !whole) {
      return undefined;
    }
    let settle: ReturnType<typeof setTimeout> | null = null;
    let first = true;
    const held = plot.current?.current() ?? props.span ?? whole;
    const made = new SeriesPlot(box.current, kHeight, {
      series: props.series, whole, marks: props.marks, time: props.time, xLabel: props.xLabel, yLabel: props.yLabel, yText: props.yText, zero: props.zero,
      ...(props.xText ? { xText: props.xText } : {}),
      moved: (span) => {
        // The URL follows when the hand rests: browsers refuse a hundred changes in a few seconds.
        if (settle) {
          clearTimeout(settle);
        }
        if (!first) {
          settle = setTimeout(() => remember(span, whole), kSettleMs);
        }
        first = false;
        now.current.moved(span);
      },
      pointed: setPointed,
      opened: (index) => now.current.open(index),
    }, held);
    plot.current = made;
    return () => {
      if (settle) {
        clearTimeout(settle);
      }
      made.end();
    };
  }, [props.series, props.marks, theme, whole]);
  useEffect(() => {
    if (props.jump) {
      plot.current?.show(props.jump);
    }
  }, [props.jump]);
  if (!whole) {
    return <p class="empty">Nothing was measured in this series.</p>;
  }
  const go = (change: (span: Span) => Span): void => {
    const own = plot.current;
    own?.show(change(own.current()));
  };
  const moves: [string, string, (span: Span) => Span][] = [
    ['Earlier', 'ArrowLeft', (span) => panned(span, (span.from - span.to) / 4, whole)],
    ['Later', 'ArrowRight', (span) => panned(span, (span.to - span.from) / 4, whole)],
    ['Closer', '+', (span) => zoomed(span, 0.5, (span.from + span.to) / 2, whole)],
    ['Wider', '-', (span) => zoomed(span, 2, (span.from + span.to) / 2, whole)],
    ['All', '0', () => within(whole, whole)],
  ];
  return (
    <div>
      <div class="actions" role="group" aria-label="Window of the chart">
        {moves.map(([name, key, change]) => (
          <button key={name} type="button" title={`key ${key}`} onClick={() => go(change)}>{name}</button>
        ))}
        <span class="quiet">drag to pan, wheel to zoom</span>
      </div>
      <div
        ref={box}
        class="plot"
        role="img"
        tabIndex={0}
        aria-label={`${props.label}. Arrow keys pan, plus and minus zoom, zero shows all.`}
        onKeyDown={(event) => {
          const move = moves.find(([, key]) => key === event.key || (key === '+' && event.key === '='));
          if (move) {
            event.preventDefault();
            go(move[2]);
          }
        }}
      />
      <p class="readout" aria-hidden="true">{pointed === null ? '' : props.describe(pointed)}</p>
    </div>
  );
}

function wholeOf(series: Series): Span | null {
  const last = series.x.length - 1;
  if (last < 0) {
    return null;
  }
  const from = series.x[0] as number;
  const to = series.x[last] as number;
  const room = to > from ? (to - from) * 0.01 : 1;
  return { from: from - room, to: to + room };
}

function remember(span: Span, whole: Span): void {
  const all = span.to - span.from >= (whole.to - whole.from) * 0.999;
  setQuery({ from: all ? null : String(Math.round(span.from * 1000)), to: all ? null : String(Math.round(span.to * 1000)) });
}
