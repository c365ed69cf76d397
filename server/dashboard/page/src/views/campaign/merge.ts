// Candidates as they stand, and what changed since laid over them: a campaign of 10,000 is fetched whole
// once, then a few rows at a time.
import type { ColumnTable } from '../../api/shapes';
import type { CampaignPage, CandidateColumns } from '../../api/shapes_campaign';

type Table = ColumnTable<CandidateColumns>;
type AnyColumns = Record<string, unknown[]>;

export function mergeCandidates(old: Table, change: Table): Table {
  if (change.rows === 0) {
    return old;
  }
  const places = new Map<string, number>();
  old.columns.id.forEach((id, row) => places.set(id, row));
  const columns: AnyColumns = {};
  for (const [key, values] of Object.entries(old.columns as unknown as AnyColumns)) {
    columns[key] = values.slice();
  }
  let rows = old.rows;
  for (let row = 0; row < change.rows; row += 1) {
    const id = change.columns.id[row] as string;
    const place = places.get(id) ?? rows;
    if (place === rows) {
      places.set(id, rows);
      rows += 1;
    }
    for (const [key, values] of Object.entries(change.columns as unknown as AnyColumns)) {
      const into = columns[key];
      if (into) {
        into[place] = values[row];
      }
    }
  }
  return { rows, columns: columns as unknown as CandidateColumns };
}

export function mergePages(old: CampaignPage, change: CampaignPage): CampaignPage {
  return { ...change, candidates: mergeCandidates(old.candidates, change.candidates) };
}
