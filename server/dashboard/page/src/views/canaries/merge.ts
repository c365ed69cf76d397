// Windows do not change once they are stored: a live view asks for the ones that came since, and puts them behind.
import type { CanaryPage } from '../../api/shapes_canary';
import type { ColumnTable } from '../../api/shapes';

function appended<C extends object>(before: ColumnTable<C>, after: ColumnTable<C>): ColumnTable<C> {
  if (after.rows === 0) {
    return before; // the same table, so that what is drawn of it stays
  }
  const columns = {} as Record<string, unknown[]>;
  for (const [name, column] of Object.entries(before.columns) as [string, unknown[]][]) {
    columns[name] = [...column, ...((after.columns as Record<string, unknown[]>)[name] ?? [])];
  }
  return { rows: before.rows + after.rows, columns: columns as C };
}

// `after` was asked for with since = the windows of `before`.
export function merged(before: CanaryPage, after: CanaryPage): CanaryPage {
  return { ...after, windows: appended(before.windows, after.windows), ratios: appended(before.ratios, after.ratios) };
}
