// 100,000 points on 1,500 pixels: each column of pixels shows the least, the greatest and the mean of what
// falls into it. No peak is lost, as it would be by taking every hundredth point, and the cost of a frame
// follows the window that is looked at: the ends are found by bisection, each point within is read once.
export interface Series {
  x: ArrayLike<number>; // ascending
  low: ArrayLike<number>;
  mid: ArrayLike<number>;
  high: ArrayLike<number>;
}

export interface Columns {
  x: number[]; // the middle of the column; of points for themselves, their own places
  low: number[];
  mid: number[]; // the mean of the points' middles
  high: number[];
  begin: number; // which points: those of the window and one beyond either end
  end: number;
  single: boolean; // every point for itself
}

// First index with xs[index] >= x.
export function lowerBound(xs: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((xs[middle] ?? Infinity) < x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// First index with xs[index] > x: several results may have one time.
export function upperBound(xs: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((xs[middle] ?? Infinity) <= x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// `columns` at least 1. One point beyond either end is kept, so that lines leave the picture.
export function decimate(series: Series, from: number, to: number, columns: number): Columns {
  const begin = Math.max(0, lowerBound(series.x, from) - 1);
  const end = Math.min(series.x.length, upperBound(series.x, to) + 1);
  const result: Columns = { x: [], low: [], mid: [], high: [], begin, end, single: true };
  if (end - begin <= columns || !(to > from)) {
    for (let i = begin; i < end; i += 1) {
      append(result, series.x[i] as number, series.low[i] as number, series.mid[i] as number, series.high[i] as number);
    }
    return result;
  }
  result.single = false;
  const width = (to - from) / columns;
  let i = begin;
  while (i < end) {
    const column = columnOf(series.x[i] as number, from, width, columns);
    const first = i;
    let low = Infinity;
    let high = -Infinity;
    let sum = 0;
    do {
      const least = series.low[i] as number;
      const most = series.high[i] as number;
      low = least < low ? least : low;
      high = most > high ? most : high;
      sum += series.mid[i] as number;
      i += 1;
    } while (i < end && columnOf(series.x[i] as number, from, width, columns) === column);
    const inside = column >= 0 && column < columns;
    append(result, inside ? from + (column + 0.5) * width : (series.x[first] as number), low, sum / (i - first), high);
  }
  return result;
}

function columnOf(x: number, from: number, width: number, columns: number): number {
  const column = Math.floor((x - from) / width);
  return column < 0 ? -1 : column > columns ? columns : column;
}

function append(columns: Columns, x: number, low: number, mid: number, high: number): void {
  columns.x.push(x);
  columns.low.push(low);
  columns.mid.push(mid);
  columns.high.push(high);
}
