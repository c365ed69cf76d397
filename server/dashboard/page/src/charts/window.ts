// The part of an axis that is looked at, and what pan and zoom make of it. Never outside of what there is,
// never narrower than a thousandth of a thousandth.
export interface Span {
  from: number;
  to: number;
}

const kNarrowest = 1e-6;

export function within(span: Span, whole: Span): Span {
  const all = whole.to - whole.from;
  const width = Math.min(all, Math.max(span.to - span.from, all * kNarrowest));
  const from = Math.min(Math.max(span.from, whole.from), whole.to - width);
  return { from, to: from + width };
}

export function panned(span: Span, by: number, whole: Span): Span {
  return within({ from: span.from + by, to: span.to + by }, whole);
}

// `factor` below 1 shows less; what is at `at` stays where it is.
export function zoomed(span: Span, factor: number, at: number, whole: Span): Span {
  return within({ from: at - (at - span.from) * factor, to: at + (span.to - at) * factor }, whole);
}
