// What a column of a table is. Rows are indices into whatever holds the data: 10,000 rows need no objects.
import type { ComponentChildren } from 'preact';

export interface Column {
  key: string;
  title: string;
  about?: string; // longer, for a title
  width: number; // pixels; of the last one at least
  number?: boolean; // aligned right
  sort?: (row: number) => number | string | null; // what is not there comes last, in either direction
  cell: (row: number) => ComponentChildren;
}

export interface Order {
  key: string;
  down: boolean;
}

export function parseOrder(text: string | null, columns: readonly Column[], fallback: Order): Order {
  if (!text) {
    return fallback;
  }
  const down = text.startsWith('-');
  const key = down ? text.slice(1) : text;
  return columns.some((column) => column.key === key && column.sort) ? { key, down } : fallback;
}

export function orderText(order: Order): string {
  return order.down ? `-${order.key}` : order.key;
}

// `rows` in the order asked for; equal ones stay as they came.
export function sortRows(rows: readonly number[], columns: readonly Column[], order: Order): number[] {
  const sort = columns.find((column) => column.key === order.key)?.sort;
  if (!sort) {
    return [...rows];
  }
  // Each value is asked for once, not at each of some 100,000 comparisons.
  const keyed = rows.map((row) => ({ row, value: sort(row) }));
  const sign = order.down ? -1 : 1;
  keyed.sort(({ value: left }, { value: right }) => {
    if (left === null || right === null) {
      return left === right ? 0 : left === null ? 1 : -1;
    }
    return (left < right ? -1 : left > right ? 1 : 0) * sign;
  });
  return keyed.map(({ row }) => row);
}
