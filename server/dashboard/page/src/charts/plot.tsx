// uPlot in a component: made once, given new data as they come, made anew for another theme, as wide as its
// place. A picture on a canvas says nothing to a reader of screens: whoever uses this names it and offers a table.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../ui/theme';

interface PlotProps {
  label: string;
  height: number;
  data: uPlot.AlignedData;
  // Called for each making; `theme` may have changed since the last one.
  options: () => Omit<uPlot.Options, 'width' | 'height'>;
  remake?: unknown; // another value makes the plot anew
  onMade?: (plot: uPlot) => void;
}

export function Plot({ label, height, data, options, remake, onMade }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const made = useRef<uPlot | null>(null);
  const theme = useTheme();
  useEffect(() => {
    const box = place.current;
    if (!box) {
      return undefined;
    }
    const plot = new uPlot({ ...options(), width: Math.max(100, box.clientWidth), height }, data, box);
    made.current = plot;
    onMade?.(plot);
    const resize = new ResizeObserver(() => {
      if (box.clientWidth > 0 && box.clientWidth !== plot.width) {
        plot.setSize({ width: box.clientWidth, height });
      }
    });
    resize.observe(box);
    return () => {
      resize.disconnect();
      plot.destroy();
      made.current = null;
    };
  }, [theme, height, remake]);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    made.current?.setData(data);
  }, [data]);
  return <div class="plot" ref={place} role="img" aria-label={label} />;
}
