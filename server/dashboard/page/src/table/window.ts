// Which rows of a long table stand in the document: those in sight and some around them.
export interface Window {
  first: number;
  end: number;
}

export const kRowHeight = 27;
const kAround = 12;

export function rowsInSight(rows: number, top: number, height: number): Window {
  const first = Math.max(0, Math.floor(top / kRowHeight) - kAround);
  const end = Math.min(rows, Math.ceil((top + height) / kRowHeight) + kAround);
  return { first: Math.min(first, Math.max(0, rows - 1)), end: Math.max(end, 0) };
}
