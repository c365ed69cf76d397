// The longest common subsequence of two lists, as a list of kept, removed and added places. Pipelines
// have some hundred passes at most: the quadratic table is small, and past the limit below the answer is
// "all removed, all added", which is true as well.
export type Step = { kind: 'same'; left: number; right: number } | { kind: 'removed'; left: number } | { kind: 'added'; right: number };

const kMaxCells = 4_000_000;

export function sequenceDiff(left: readonly string[], right: readonly string[]): Step[] {
  const steps: Step[] = [];
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) {
    steps.push({ kind: 'same', left: start, right: start });
    start += 1;
  }
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  middle(left, right, start, leftEnd, rightEnd, steps);
  for (let i = 0; leftEnd + i < left.length; i += 1) {
    steps.push({ kind: 'same', left: leftEnd + i, right: rightEnd + i });
  }
  return steps;
}

function middle(left: readonly string[], right: readonly string[], start: number, leftEnd: number, rightEnd: number, steps: Step[]): void {
  const rows = leftEnd - start;
  const columns = rightEnd - start;
  let i = 0;
  let j = 0;
  if (rows > 0 && columns > 0 && rows * columns <= kMaxCells) {
    const table = lengths(left, right, start, rows, columns);
    const width = columns + 1;
    while (i < rows && j < columns) {
      if (left[start + i] === right[start + j]) {
        steps.push({ kind: 'same', left: start + i, right: start + j });
        i += 1;
        j += 1;
      } else if ((table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0)) {
        steps.push({ kind: 'removed', left: start + i });
        i += 1;
      } else {
        steps.push({ kind: 'added', right: start + j });
        j += 1;
      }
    }
  }
  for (; i < rows; i += 1) {
    steps.push({ kind: 'removed', left: start + i });
  }
  for (; j < columns; j += 1) {
    steps.push({ kind: 'added', right: start + j });
  }
}

// table[i][j]: how long the common subsequence of the rests behind i and j is.
function lengths(left: readonly string[], right: readonly string[], start: number, rows: number, columns: number): Uint32Array {
  const width = columns + 1;
  const table = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        left[start + i] === right[start + j]
          ? (table[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
    }
  }
  return table;
}
