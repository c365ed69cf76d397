// CSV of what the page itself knows (the server makes its own). RFC 4180; a text that a spreadsheet would
// take for a formula gets an apostrophe, as the server does it.
export type Cell = string | number | boolean | null | undefined;

export function csv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => row.map(field).join(',')).join('\r\n') + '\r\n';
}

function field(cell: Cell): string {
  if (cell === null || cell === undefined) {
    return '';
  }
  const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
