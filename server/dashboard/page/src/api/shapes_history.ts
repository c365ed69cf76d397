// GET /v1/views/targets/{name}/history, /v1/views/policies
import type { CampaignState, ColumnTable, Reward, Rule } from './shapes';

export interface HistorySeries {
  metric: string;
  baseline: string;
  worker: string;
  results: number;
  from: number;
  to: number;
}

export interface HistoryColumns {
  at: number[];
  count?: number[]; // without it every row is one result
  version: number[];
  baseline: (number | null)[];
  // The ends of each are left out where a great many single results were asked for at once.
  baseline_low?: (number | null)[];
  baseline_high?: (number | null)[];
  candidate: (number | null)[];
  candidate_low?: (number | null)[];
  candidate_high?: (number | null)[];
  reward: (number | null)[];
  reward_low?: (number | null)[];
  reward_high?: (number | null)[];
  job?: string[];
  verdict?: (string | null)[];
  stage?: string[];
}

export interface ChangePoint {
  of: 'baseline' | 'reward';
  at: number;
  not_before: number;
  before: number;
  after: number;
  change: number;
  version: number | null;
}

export interface History {
  target: string;
  metric: string | null;
  unit: string | null;
  baseline: string | null;
  worker: string | null;
  stage: string | null;
  series: HistorySeries[];
  from: number | null;
  to: number | null;
  total: number;
  bucketed: boolean;
  points: ColumnTable<HistoryColumns>;
  changes: ChangePoint[];
  versions: { version: number; at: number; commit: string | null; artifact: string | null }[];
  campaigns: { id: string; at: number; state: CampaignState; reward: number | null; low: number | null; high: number | null; policy_version: number | null }[];
}

export interface PolicyRow {
  target: string;
  versions: number;
  newest: number | null;
  promoted: number | null;
  promoted_signed: boolean | null;
  at: string | null;
}

export interface PolicyVersion {
  version: number;
  sequence: number;
  sha256: string;
  created_at: string;
  created_by: string | null;
  promoted: boolean;
  signed: boolean;
  signature: string | null;
  campaign: string | null;
  candidate: string | null;
  origin: string | null;
  note: string | null;
  generator: string | null;
  reward: Reward | null;
  baseline: string | null;
  verdict: string | null;
  worker: string | null;
  compiler: string | null;
  commit: string | null;
  rules: number;
  bytes: number;
}

export interface PolicyDiff {
  from: number;
  to: number;
  same: number;
  added: Rule[];
  removed: Rule[];
  changed: { from: Rule; to: Rule }[];
}

export interface PolicyPage {
  target: string;
  versions: PolicyVersion[];
  diff: PolicyDiff | null;
}
