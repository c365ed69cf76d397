// Points of a scatter plot on uPlot's canvas: 10,000 of them as one path for each colour, and the nearest one
// to the pointer found by its place on the screen.
import uPlot from 'uplot';

export interface PointLook {
  fill: string;
  radius: number;
  hollow?: boolean;
}

// `lookOf` says which of `looks` a point has, -1: none.
export function drawPoints(plot: uPlot, xs: readonly number[], ys: readonly (number | null)[], looks: readonly PointLook[], lookOf: (index: number) => number): void {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  // Thousands of points lie upon each other: smaller and half transparent, they show where most are.
  const dense = xs.length > 2000;
  ctx.globalAlpha = dense ? 0.6 : 1;
  ctx.beginPath();
  ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
  ctx.clip();
  const xMin = plot.scales['x']?.min ?? -Infinity;
  const xMax = plot.scales['x']?.max ?? Infinity;
  looks.forEach((look, kind) => {
    const radius = look.radius * ratio * (dense ? 0.75 : 1);
    ctx.beginPath();
    for (let index = 0; index < xs.length; index += 1) {
      const x = xs[index] as number;
      const y = ys[index];
      if (y === null || y === undefined || x < xMin || x > xMax || lookOf(index) !== kind) {
        continue;
      }
      const left = plot.valToPos(x, 'x', true);
      const top = plot.valToPos(y, 'y', true);
      if (dense && !look.hollow) {
        ctx.rect(left - radius, top - radius, 2 * radius, 2 * radius); // a tenth of what circles cost, and as good at this size
      } else {
        ctx.moveTo(left + radius, top);
        ctx.arc(left, top, radius, 0, 2 * Math.PI);
      }
    }
    if (look.hollow) {
      ctx.strokeStyle = look.fill;
      ctx.lineWidth = 1.5 * ratio;
      ctx.stroke();
    } else {
      ctx.fillStyle = look.fill;
      ctx.fill();
    }
  });
  ctx.restore();
}

// The index of the point nearest to a place in CSS pixels within the plot, at most `within` away; -1 if none.
export function nearestPoint(plot: uPlot, xs: readonly number[], ys: readonly (number | null)[], left: number, top: number, within = 14): number {
  let nearest = -1;
  let least = within * within;
  for (let index = 0; index < xs.length; index += 1) {
    const y = ys[index];
    if (y === null || y === undefined) {
      continue;
    }
    const dx = plot.valToPos(xs[index] as number, 'x') - left;
    if (dx > within || dx < -within) {
      continue;
    }
    const dy = plot.valToPos(y, 'y') - top;
    const distance = dx * dx + dy * dy;
    if (distance < least) {
      least = distance;
      nearest = index;
    }
  }
  return nearest;
}
