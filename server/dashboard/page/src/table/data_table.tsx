// One table for all views: sorted by its headings, at any length, by mouse and keyboard. Only the rows in
// sight stand in the document; aria-rowcount and aria-rowindex tell a reader of screens the rest.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Column, Order } from './column';
import { sortRows } from './column';
import { kRowHeight, rowsInSight } from './window';

interface DataTableProps {
  caption: string;
  columns: Column[];
  rows: readonly number[]; // which rows, before sorting
  order: Order;
  onOrder?: (order: Order) => void;
  height?: number; // of the part that scrolls; without it, all rows stand
  empty: string; // why there are none
  chosen?: number | null;
}

// What arrow keys move between: the first link or button of a row.
const kTarget = 'a, button';

export function DataTable({ caption, columns, rows, order, onOrder, height, empty, chosen }: DataTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const sorted = useMemo(() => sortRows(rows, columns, order), [rows, columns, order.key, order.down]);
  const wanted = useRef<number | null>(null); // a row that is to take the focus once it stands
  const windowed = height !== undefined && sorted.length * kRowHeight > height * 2;
  const sight = windowed ? rowsInSight(sorted.length, top, height) : { first: 0, end: sorted.length };

  useEffect(() => {
    // Another filter: what was scrolled to is gone.
    if (scroller.current && scroller.current.scrollTop > sorted.length * kRowHeight) {
      scroller.current.scrollTop = 0;
      setTop(0);
    }
  }, [sorted.length]);

  useLayoutEffect(() => {
    if (wanted.current !== null) {
      const row = scroller.current?.querySelector(`tr[data-place="${wanted.current}"]`);
      const target = row?.querySelector<HTMLElement>(kTarget);
      if (target) {
        wanted.current = null;
        target.focus({ preventScroll: true });
      }
    }
  });

  const move = (event: KeyboardEvent): void => {
    const box = scroller.current;
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tr[data-place]') : null;
    const step = kSteps[event.key];
    if (!box || !row || step === undefined) {
      return;
    }
    event.preventDefault();
    const page = Math.max(1, Math.floor((height ?? box.clientHeight) / kRowHeight) - 2);
    const place = Number(row.dataset['place']);
    const next = Math.max(0, Math.min(sorted.length - 1, step(place, page, sorted.length)));
    wanted.current = next;
    const y = next * kRowHeight;
    if (height !== undefined && (y < box.scrollTop || y > box.scrollTop + height - 3 * kRowHeight)) {
      box.scrollTop = Math.max(0, y - height / 2);
      setTop(box.scrollTop);
    }
    const standing = box.querySelector(`tr[data-place="${next}"]`)?.querySelector<HTMLElement>(kTarget);
    if (standing) {
      wanted.current = null;
      standing.focus({ preventScroll: height !== undefined });
    }
  };

  if (sorted.length === 0) {
    return <p class="empty">{empty}</p>;
  }
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  // A last column of numbers does not stretch: at the far edge they would stand apart from their row.
  const stretches = columns[columns.length - 1]?.number !== true;
  return (
    <div
      class="rows fixed"
      ref={scroller}
      style={height === undefined ? undefined : { maxHeight: `${height}px` }}
      tabIndex={0}
      role="region"
      aria-label={`${caption}, scrolls`}
      onScroll={windowed ? (event) => setTop(event.currentTarget.scrollTop) : undefined}
      onKeyDown={move}
    >
      <table aria-rowcount={sorted.length + 1} style={stretches ? { minWidth: `${width}px` } : { width: `${width}px` }}>
        <caption>{caption}</caption>
        <colgroup>
          {columns.map((column, index) => (
            <col key={column.key} style={index === columns.length - 1 && stretches ? undefined : { width: `${column.width}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Heading key={column.key} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {sight.first > 0 ? <Spacer height={sight.first * kRowHeight} columns={columns.length} /> : null}
          {sorted.slice(sight.first, sight.end).map((row, index) => (
            <tr key={row} data-place={sight.first + index} aria-rowindex={sight.first + index + 2} class={chosen === row ? 'chosen' : ''}>
              {columns.map((column, place) =>
                place === 0 ? (
                  <th key={column.key} scope="row" class={column.number ? 'number' : ''}>{column.cell(row)}</th>
                ) : (
                  <td key={column.key} class={column.number ? 'number' : ''}>{column.cell(row)}</td>
                ),
              )}
            </tr>
          ))}
          {sight.end < sorted.length ? <Spacer height={(sorted.length - sight.end) * kRowHeight} columns={columns.length} /> : null}
        </tbody>
      </table>
    </div>
  );
}

const kSteps: Record<string, (place: number, page: number, rows: number) => number> = {
  ArrowDown: (place) => place + 1,
  ArrowUp: (place) => place - 1,
  PageDown: (place, page) => place + page,
  PageUp: (place, page) => place - page,
  Home: () => 0,
  End: (_place, _page, rows) => rows - 1,
};

function Heading({ column, order, onOrder }: { column: Column; order: Order; onOrder: ((order: Order) => void) | undefined }) {
  const own = order.key === column.key;
  const sortable = column.sort !== undefined && onOrder !== undefined;
  return (
    <th
      scope="col"
      class={column.number ? 'number' : ''}
      title={column.about}
      aria-sort={own && sortable ? (order.down ? 'descending' : 'ascending') : undefined}
    >
      {sortable ? (
        <button type="button" onClick={() => onOrder({ key: column.key, down: own ? !order.down : column.number === true })}>
          {column.title}
          <span aria-hidden="true">{own ? (order.down ? ' ↓' : ' ↑') : ''}</span>
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr class="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}
