// What a set of rules says, as a set of parts: one for each file's own pipeline and one for each knob. Two
// candidates that differ in one part are an ablation of it.
import type { Rule } from '../api/shapes';

export interface Part {
  where: string; // source, with output and options where a rule has them
  what: string; // "-unroll-count=4", "sroa,gvn", "choice of 3"
}

export function whereOf(rule: Rule): string {
  return [rule.source, rule.output ? `→ ${rule.output}` : '', rule.options ? `(${rule.options.slice(0, 8)})` : ''].filter((part) => part !== '').join(' ');
}

export function isWhole(pipeline: string): boolean {
  return /^default<O[0-3sz]>$/.test(pipeline);
}

export function partsOf(rules: readonly Rule[]): Part[] {
  const parts: Part[] = [];
  for (const rule of rules) {
    const where = whereOf(rule);
    if (!isWhole(rule.pipeline)) {
      parts.push({ where, what: rule.pipeline });
    }
    for (const [name, value] of Object.entries(rule.knobs ?? {})) {
      parts.push({ where, what: `-${name}=${value}` });
    }
    for (const member of rule.choice ?? []) {
      parts.push({ where, what: `choice ${member}` });
    }
  }
  return parts;
}

export function keyOf(part: Part): string {
  return `${part.where}\n${part.what}`;
}

// The part that `less` lacks and `whole` has, if that is all the difference; else null.
export function onePartLess(whole: readonly Rule[], less: readonly Rule[]): Part | null {
  const own = partsOf(whole);
  const others = new Set(partsOf(less).map(keyOf));
  if (others.size !== own.length - 1) {
    return null;
  }
  const missing = own.filter((part) => !others.has(keyOf(part)));
  return missing.length === 1 ? (missing[0] ?? null) : null;
}
