// What a box and strip plot needs: quartiles and whiskers, and where each point of the strip lies.
export interface Box {
  low: number; // whisker: the least sample within 1.5 interquartile ranges of the box
  q1: number;
  median: number;
  q3: number;
  high: number;
}

// Linear interpolation between order statistics (type 7 of Hyndman and Fan, the default of R and NumPy).
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below] ?? NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? NaN;
  return low + (high - low) * (place - below);
}

export function boxOf(values: readonly number[]): Box | null {
  if (values.length === 0) {
    return null;
  }
  const sorted = [...values].sort((a, b) => a - b);
  const q1 = quantile(sorted, 0.25);
  const q3 = quantile(sorted, 0.75);
  const reach = 1.5 * (q3 - q1);
  const inside = sorted.filter((value) => value >= q1 - reach && value <= q3 + reach);
  return {
    low: inside[0] ?? q1,
    q1,
    median: quantile(sorted, 0.5),
    q3,
    high: inside[inside.length - 1] ?? q3,
  };
}

// Offsets from the strip's middle line, in point diameters, such that points do not hide each other: each
// takes the free lane next to the middle. `places` are positions along the axis in point diameters.
export function swarm(places: readonly number[], lanes: number): number[] {
  const order = places.map((_, index) => index).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  const last = new Map<number, number>();
  const offsets = new Array<number>(places.length).fill(0);
  for (const index of order) {
    const at = places[index] ?? 0;
    let chosen = 0;
    for (let lane = 0; lane < lanes; lane += 1) {
      const offset = lane % 2 === 0 ? lane / 2 : -(lane + 1) / 2;
      const before = last.get(offset);
      if (before === undefined || at - before >= 1) {
        chosen = offset;
        break;
      }
      chosen = offset;
    }
    last.set(chosen, at);
    offsets[index] = chosen;
  }
  return offsets;
}
