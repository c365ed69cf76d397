// GET /v1/views/overview, /v1/views/fleet
import type { CampaignState, ColumnTable, Machine, Reward } from './shapes';

export interface BestResult {
  campaign: string;
  candidate: string;
  job: string;
  baseline: string;
  policy_version: number | null;
  at: string;
  reward: Reward;
}

export interface OverviewTarget {
  name: string;
  version: number;
  metric: string;
  commit: string | null;
  campaigns: number;
  running: number;
  policies: number;
  promoted_version: number | null;
  best: BestResult | null;
  last_measured_at: string | null;
}

export interface TrendPoint {
  target: string;
  campaign: string;
  at: string;
  target_version: number;
  commit: string | null;
  baseline: string;
  state: CampaignState;
  reward: number | null;
  low: number | null;
  high: number | null;
  policy_version: number | null;
}

export interface RunningCampaign {
  id: string;
  target: string;
  state: CampaignState;
  baseline: string;
  created_at: string;
  racing_at: string | null;
  budget_candidates: number | null;
  budget_seconds: number | null;
  candidates: number;
  finished: number;
  failed: number;
  unfinished: number;
  progress: number | null;
  estimated_end: string | null;
  best_candidate: string | null;
  best: Reward | null;
}

export interface FleetHealth {
  workers: number;
  alive: number;
  drained: number;
  unfit: number;
  slots: number;
  busy: number;
  queued: number;
  leased: number;
}

export interface Attention {
  kind: string;
  at: string;
  target: string | null;
  worker: string | null;
  campaign: string | null;
  candidate: string | null;
  job: string | null;
  source: string | null;
  canary: string | null;
  count: number;
  text: string;
}

export interface Overview {
  now: string;
  targets: OverviewTarget[];
  trend: TrendPoint[];
  campaigns: RunningCampaign[];
  fleet: FleetHealth;
  attention: Attention[];
}

export interface WorkerJob {
  id: string;
  target: string;
  campaign: string | null;
  candidate: string | null;
  stage: string;
  leased_at: string;
}

export interface WorkerCheck {
  target: string;
  target_version: number;
  verdict: string;
  reward: Reward;
  baseline_value: number;
  drift: number | null;
  checked_at: string;
  unfit_reason: string | null;
}

export interface FleetWorker {
  name: string;
  machine: Machine | null;
  labels: Record<string, string>;
  slots: number;
  version: string | null;
  registered_at: string | null;
  last_seen_at: string | null;
  alive: boolean;
  left_at: string | null;
  drained_at: string | null;
  jobs: WorkerJob[];
  results_24h: number;
  failures_24h: number;
  checks: WorkerCheck[];
}

export interface CheckColumns {
  worker: string[];
  target: string[];
  version: number[];
  at: number[];
  noise: (number | null)[];
  reward: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  detectable_effect: (number | null)[];
  verdict: string[];
  baseline_value: (number | null)[];
}

export interface Fleet {
  now: string;
  workers: FleetWorker[];
  checks: ColumnTable<CheckColumns>;
}
