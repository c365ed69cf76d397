// Which candidates are shown: a text, a standing, an origin. All of it is in the URL.
import type { CandidateColumns } from '../../api/shapes_campaign';
import { label, standing } from './candidate';

export interface CandidateFilter {
  text: string;
  standing: string;
  origin: string;
}

export function filterOf(query: URLSearchParams): CandidateFilter {
  return { text: query.get('q') ?? '', standing: query.get('standing') ?? '', origin: query.get('origin') ?? '' };
}

export function isFiltered(filter: CandidateFilter): boolean {
  return filter.text !== '' || filter.standing !== '' || filter.origin !== '';
}

export function filterRows(columns: CandidateColumns, filter: CandidateFilter): number[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const rows: number[] = [];
  for (let row = 0; row < columns.id.length; row += 1) {
    if (filter.standing !== '' && standing(columns, row) !== filter.standing) {
      continue;
    }
    if (filter.origin !== '' && (columns.origin[row] ?? '') !== filter.origin) {
      continue;
    }
    if (words.length > 0) {
      const text = `${label(columns, row)} ${columns.note[row] ?? ''} ${columns.reason[row] ?? ''} ${columns.origin[row] ?? ''} ${columns.id[row] ?? ''}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) {
        continue;
      }
    }
    rows.push(row);
  }
  return rows;
}

// The values that occur, most frequent first, with how often.
export function facet(length: number, valueOf: (row: number) => string | null): [string, number][] {
  const counts = new Map<string, number>();
  for (let row = 0; row < length; row += 1) {
    const value = valueOf(row);
    if (value !== null && value !== '') {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
