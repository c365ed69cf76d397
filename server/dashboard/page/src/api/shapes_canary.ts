// GET /v1/views/canaries, /v1/views/canaries/{id}
import type { ColumnTable, Reward } from './shapes';

export type CanaryState = 'prepared' | 'ramping' | 'judged' | 'promoted' | 'rolled_back' | 'aborted';

// A log ratio of both groups; an end that is not known is null.
export interface Ratio {
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface Objective {
  good_share: number;
  latency: number; // seconds; 0: any
  window_seconds: number;
}

export interface Budget {
  requests: number;
  bad: number;
  bad_canary: number;
  allowed: number;
  left_share: number;
  spent: boolean;
}

export interface CanaryRow {
  id: string;
  target: string;
  policy_version: number;
  state: CanaryState;
  share: number;
  follows: boolean;
  waits_for_approval: boolean;
  windows: number;
  lost_windows: number | null;
  finding: string | null;
  sli: string;
  so_far: Ratio | null;
  outcome: string | null;
  reward: Reward | null;
  reason: string;
  cause: string | null; // of one that ended without a promotion
  known_good: number | null;
  campaign: string | null;
  candidate: string | null;
  created_at: string;
  created_by: string | null;
  ended_at: string | null;
}

export interface ServiceRow {
  target: string;
  objective: Objective;
  budget: Budget | null;
  budget_at: string | null;
  stopped: boolean;
  stopped_since: string | null;
  canary: string | null;
  state: CanaryState | null;
}

export interface Canaries {
  now: string;
  total: number;
  canaries: CanaryRow[];
  services: ServiceRow[];
}

export interface Indicator {
  sli: string;
  finding: string;
  baseline: number | null;
  canary: number | null;
  reward: Ratio;
  tolerance: number;
  floor: number;
  detectable: number | null;
  windows: number;
  limit: number | null;
}

export interface CanaryDecision {
  at: string;
  state: CanaryState;
  share: number;
  windows: number;
  reason: string;
  judgement: { finding?: string } | null;
}

// Times in milliseconds since 1970. Of a window that was lost the counts are null.
export interface WindowColumns {
  number: number[];
  start: number[];
  seconds: number[];
  share: number[];
  baseline: string[];
  baseline_requests: (number | null)[];
  baseline_failures: (number | null)[];
  canary: string[];
  canary_requests: (number | null)[];
  canary_failures: (number | null)[];
}

// A row for each window and indicator: that window alone, then all until then, where they were judged.
export interface RatioColumns {
  window: number[];
  sli: string[];
  baseline: (number | null)[];
  canary: (number | null)[];
  own: (number | null)[];
  value: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  detectable: (number | null)[];
  finding: (string | null)[];
}

export interface Taught {
  outcome: string;
  reason: string | null;
  verdict: string | null;
  reward: Reward | null;
  slis: { sli: string; slo_reward: number | null }[];
}

export interface CanaryPage {
  now: string;
  canary: {
    id: string;
    target: string;
    policy_version: number;
    spec: { ramp: { steps: number[]; approval: string; step_windows: number; most_windows: number; most_lost: number } };
    service: { window_seconds: number; objective: Objective };
    status: { state: CanaryState; step: number; step_windows: number; lost_windows: number; share: number; reason: string; cause: string | null };
    follows: boolean;
    windows: number;
    budget: Budget | null;
    known_good: number | null; // the version in force when it began, which the baseline is said to run
    policy_in_force: number | null;
    created_at: string;
    created_by: string | null;
    ended_at: string | null;
  };
  policy: {
    version: number;
    promoted: boolean;
    campaign: string | null;
    candidate: string | null;
    origin: string | null;
    note: string | null;
    baseline: string | null;
    reward: Reward | null;
  } | null;
  may_decide: boolean;
  indicators: Indicator[];
  decisions: CanaryDecision[];
  windows: ColumnTable<WindowColumns>;
  ratios: ColumnTable<RatioColumns>;
  taught: Taught | null;
}

export function isOver(state: CanaryState): boolean {
  return state === 'promoted' || state === 'rolled_back' || state === 'aborted';
}
