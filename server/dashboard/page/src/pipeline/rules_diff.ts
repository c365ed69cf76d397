// Two sets of rules, file by file: what stands on one side only, and what differs in pipeline and knobs.
import type { Rule } from '../api/shapes';
import { diffPipelines, type DiffNode } from './forest_diff';
import { whereOf } from './rule_parts';

export interface KnobDiff {
  name: string;
  before: string | null;
  after: string | null;
}

export interface RuleDiff {
  where: string;
  kind: 'added' | 'removed' | 'changed' | 'same';
  pipeline: DiffNode[];
  knobs: KnobDiff[]; // all of them; equal ones have before === after
}

// `plain`: what a file without a rule is compiled with, "default<O3>".
export function diffRules(before: readonly Rule[], after: readonly Rule[], plain: string): RuleDiff[] {
  const old = new Map(before.map((rule) => [whereOf(rule), rule]));
  const fresh = new Map(after.map((rule) => [whereOf(rule), rule]));
  const result: RuleDiff[] = [];
  for (const [where, rule] of fresh) {
    const other = old.get(where);
    result.push(diffOne(where, other ?? null, rule, plain));
  }
  for (const [where, rule] of old) {
    if (!fresh.has(where)) {
      result.push(diffOne(where, rule, null, plain));
    }
  }
  const rank = { added: 0, changed: 0, removed: 0, same: 1 };
  return result.sort((a, b) => rank[a.kind] - rank[b.kind]);
}

function diffOne(where: string, before: Rule | null, after: Rule | null, plain: string): RuleDiff {
  const pipeline = diffPipelines(textOf(before, plain), textOf(after, plain));
  const knobs = diffKnobs(before?.knobs ?? {}, after?.knobs ?? {});
  const differs = pipeline.some((node) => node.changed) || knobs.some((knob) => knob.before !== knob.after);
  return { where, kind: before === null ? 'added' : after === null ? 'removed' : differs ? 'changed' : 'same', pipeline, knobs };
}

// A choice picks one of its members inside the compile: each member is shown as a line of its own.
function textOf(rule: Rule | null, plain: string): string {
  if (rule === null) {
    return plain;
  }
  return rule.choice && rule.choice.length > 0 ? [rule.pipeline, ...rule.choice.map((part) => `choice<${part}>`)].join(',') : rule.pipeline;
}

export function diffKnobs(before: Record<string, string>, after: Record<string, string>): KnobDiff[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.map((name) => ({ name, before: before[name] ?? null, after: after[name] ?? null }));
}
