// Round numbers between two ends: steps of 1, 2 or 5 times a power of ten, at most `most` of them.
export function ticks(low: number, high: number, most: number): number[] {
  if (!(high > low) || most < 1) {
    return [];
  }
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power;
  const marks: number[] = [];
  for (let index = Math.ceil(low / step); index * step <= high; index += 1) {
    marks.push(index === 0 ? 0 : Number((index * step).toPrecision(12)));
  }
  return marks;
}
