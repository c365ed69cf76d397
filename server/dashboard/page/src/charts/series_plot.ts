// A long series that is dragged, wheeled and zoomed: of each frame only what the window needs is made
// (decimate.ts), and at most one frame is made for however many movements came since the last one.
import uPlot from 'uplot';
import { colour } from '../ui/theme';
import { plainAxis, sideAxis, timeAxis } from './axes';
import { decimate, type Series } from './decimate';
import { within, zoomed, type Span } from './window';

export interface Mark {
  x: number;
  text: string;
  look: 'change' | 'version';
}

export interface SeriesPlotSpec {
  series: Series;
  whole: Span;
  marks: Mark[];
  time: boolean; // x is seconds since 1970; else a number of its own
  xLabel: string;
  xText?: (x: number) => string;
  yLabel: string;
  yText: (value: number) => string;
  zero: boolean; // the line at zero is kept in sight
  moved: (span: Span) => void; // after each frame
  pointed: (index: number | null) => void; // a point of the series, where points stand for themselves
  opened: (index: number) => void; // a click on it
}

export class SeriesPlot {
  private readonly plot: uPlot;
  private readonly resize: ResizeObserver;
  private span: Span;
  private frame = 0;
  private single = false;
  private begin = 0;

  constructor(
    private readonly box: HTMLElement,
    private readonly height: number,
    private readonly spec: SeriesPlotSpec,
    span: Span,
  ) {
    this.span = within(span, spec.whole);
    this.plot = new uPlot({ ...this.options(), width: Math.max(100, box.clientWidth), height }, [[], [], [], []], box);
    this.resize = new ResizeObserver(() => {
      if (box.clientWidth > 0 && box.clientWidth !== this.plot.width) {
        this.plot.setSize({ width: box.clientWidth, height: this.height });
        this.show(this.span);
      }
    });
    this.resize.observe(box);
    this.listen();
    this.paint();
  }

  show(span: Span): void {
    this.span = within(span, this.spec.whole);
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.paint();
      });
    }
  }

  current(): Span {
    return this.span;
  }

  end(): void {
    cancelAnimationFrame(this.frame);
    this.resize.disconnect();
    this.plot.destroy();
  }

  private paint(): void {
    const { from, to } = this.span;
    const columns = decimate(this.spec.series, from, to, Math.max(1, Math.floor(this.plot.over.clientWidth || this.box.clientWidth)));
    this.single = columns.single;
    this.begin = columns.begin;
    this.plot.batch(() => {
      this.plot.setData([columns.x, columns.low, columns.high, columns.mid], false);
      this.plot.setScale('x', { min: from, max: to });
    });
    this.spec.moved(this.span);
  }

  private options(): Omit<uPlot.Options, 'width' | 'height'> {
    const { spec } = this;
    return {
      scales: {
        x: { time: spec.time, range: (_plot, min, max) => [min, max] },
        y: { range: (_plot, min, max) => rangeOf(min, max, spec.zero) },
      },
      axes: [spec.time ? timeAxis() : plainAxis(spec.xLabel, spec.xText), sideAxis(spec.yLabel, spec.yText)],
      legend: { show: false },
      cursor: { drag: { setScale: false, x: false, y: false }, points: { show: false }, y: false },
      series: [
        {},
        { stroke: 'transparent', points: { show: false } },
        { stroke: 'transparent', points: { show: false } },
        { stroke: () => colour(this.single ? 'line-strong' : 'accent'), width: 1.25, points: { show: () => this.single, size: 5, fill: colour('accent'), stroke: colour('accent') } },
      ],
      // Between two points that stand for themselves nothing was measured: they have whiskers, no band.
      bands: [{ series: [2, 1], fill: () => (this.single ? 'transparent' : colour('band')) }],
      hooks: {
        draw: [
          (plot) => {
            this.drawWhiskers(plot);
            this.drawMarks(plot);
          },
        ],
        setCursor: [(plot) => spec.pointed(this.single && typeof plot.cursor.idx === 'number' ? this.begin + plot.cursor.idx : null)],
      },
    };
  }

  private drawWhiskers(plot: uPlot): void {
    const [xs, lows, highs] = plot.data;
    if (!this.single || !lows || !highs) {
      return;
    }
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = colour('accent');
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    xs.forEach((x, index) => {
      const left = Math.round(plot.valToPos(x, 'x', true)) + 0.5;
      ctx.moveTo(left, plot.valToPos(lows[index] ?? NaN, 'y', true));
      ctx.lineTo(left, plot.valToPos(highs[index] ?? NaN, 'y', true));
    });
    ctx.stroke();
    ctx.restore();
  }

  private drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.font = `${11 * devicePixelRatio}px ${colour('sans')}`;
    // A text that would lie upon the one before it is left out; the tables have them all.
    const free = { change: -Infinity, version: -Infinity };
    for (const mark of this.spec.marks) {
      if (mark.x < this.span.from || mark.x > this.span.to) {
        continue;
      }
      const left = Math.round(plot.valToPos(mark.x, 'x', true)) + 0.5;
      ctx.strokeStyle = colour(mark.look === 'change' ? 'change' : 'line-strong');
      ctx.lineWidth = (mark.look === 'change' ? 2 : 1) * devicePixelRatio;
      ctx.setLineDash(mark.look === 'change' ? [] : [3 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(left, bbox.top);
      ctx.lineTo(left, bbox.top + bbox.height);
      ctx.stroke();
      ctx.fillStyle = colour(mark.look === 'change' ? 'change' : 'quiet');
      const row = mark.look === 'change' ? 12 : 26;
      const width = ctx.measureText(mark.text).width + 8 * devicePixelRatio;
      const near = left + width > bbox.left + bbox.width;
      const begin = near ? left - width : left;
      if (begin < free[mark.look]) {
        continue;
      }
      free[mark.look] = begin + width;
      ctx.textAlign = near ? 'right' : 'left';
      ctx.fillText(mark.text, left + (near ? -4 : 4) * devicePixelRatio, bbox.top + row * devicePixelRatio);
    }
    ctx.restore();
  }

  private listen(): void {
    const { over } = this.plot;
    let from: { x: number; span: Span; moved: boolean } | null = null;
    over.addEventListener('pointerdown', (event) => {
      if (event.button === 0) {
        from = { x: event.clientX, span: this.span, moved: false };
        over.setPointerCapture(event.pointerId);
      }
    });
    over.addEventListener('pointermove', (event) => {
      if (from) {
        const by = ((from.x - event.clientX) / over.clientWidth) * (from.span.to - from.span.from);
        from.moved ||= Math.abs(event.clientX - from.x) > 3;
        this.show({ from: from.span.from + by, to: from.span.to + by });
      }
    });
    const drop = (): void => {
      if (from && !from.moved && this.single && typeof this.plot.cursor.idx === 'number') {
        this.spec.opened(this.begin + this.plot.cursor.idx);
      }
      from = null;
    };
    over.addEventListener('pointerup', drop);
    over.addEventListener('pointercancel', () => {
      from = null;
    });
    over.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const at = this.plot.posToVal(event.offsetX, 'x');
        this.show(zoomed(this.span, Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), at, this.spec.whole));
      },
      { passive: false },
    );
  }
}

function rangeOf(min: number | null, max: number | null, zero: boolean): [number, number] {
  if (min === null || max === null) {
    return [0, 1];
  }
  const low = zero ? Math.min(0, min) : min;
  const high = zero ? Math.max(0, max) : max;
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [low - room, high + room];
}
