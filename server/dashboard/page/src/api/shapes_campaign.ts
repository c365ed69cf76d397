// GET /v1/views/campaigns/{id}, /v1/views/jobs/{id}, /v1/views/candidates/{id}, /v1/campaigns
import type { CampaignState, ColumnTable, Machine, Reward, Rule } from './shapes';

export interface Campaign {
  id: string;
  target: string;
  state: CampaignState;
  reason: string | null;
  baseline: string;
  seed: number;
  budget_candidates: number | null;
  budget_seconds: number | null;
  candidates: number;
  finished: number;
  failed: number;
  late: number; // not measured because the deadline passed
  unfinished: number;
  best_candidate: string | null;
  best_race: Reward | null;
  winner_candidate: string | null;
  confirmed: Reward | null;
  policy_version: number | null;
  created_at: string;
  deadline: string | null;
  finished_at: string | null;
}

export interface CampaignDetail extends Campaign {
  target_version: number;
  metric: string;
  commit: string | null;
  racing_at: string | null;
  confirming_at: string | null;
  estimated_end: string | null;
  progress: number | null;
}

export interface CandidateSet {
  id: string;
  number: number;
  generator: string;
  scheme: string | null;
  created_at: string;
  candidates: number;
}

type Maybe<T> = (T | null)[];

export interface CandidateColumns {
  id: string[];
  set: number[];
  index: number[];
  origin: Maybe<string>;
  note: Maybe<string>;
  rules: Maybe<number>;
  log_propensity: Maybe<number>;
  finalist: Maybe<number>;
  state: Maybe<string>;
  outcome: Maybe<string>;
  reason: Maybe<string>;
  verdict: Maybe<string>;
  reward: Maybe<number>;
  low: Maybe<number>;
  high: Maybe<number>;
  pairs: Maybe<number>;
  noise: Maybe<number>;
  measured_at: Maybe<number>;
  build_seconds: Maybe<number>;
  measure_seconds: Maybe<number>;
  text_bytes: Maybe<number>;
  baseline_text_bytes: Maybe<number>;
  confirm_state: Maybe<string>;
  confirm_verdict: Maybe<string>;
  confirm_reward: Maybe<number>;
  confirm_low: Maybe<number>;
  confirm_high: Maybe<number>;
  confirmed_at: Maybe<number>;
}

export interface CampaignPage {
  now: string;
  campaign: CampaignDetail;
  sets: CandidateSet[];
  candidates: ColumnTable<CandidateColumns>;
}

export interface Attempt {
  id: string;
  number: number;
  worker: string | null;
  state: string;
  reason: string | null;
  leased_at: string | null;
  ended_at: string | null;
}

export interface Decision {
  source: string;
  output: string | null;
  state_id: string | null;
  pipeline_hash: string | null;
  tuned: boolean;
  meant: boolean;
  reason: string | null;
  log_propensity: number | null;
}

export interface Binary {
  path: string;
  sha256: string;
  size_bytes: number;
  text_bytes?: number;
}

export interface JobResult {
  outcome: string;
  reason: string | null;
  verdict: string | null;
  reward: Reward | null;
  reused_attempt: string | null;
  decisions?: Decision[];
  binaries?: Binary[];
  baseline_binaries?: Binary[];
  machine?: Machine;
  toolchain?: { compiler?: string | null; plugin_sha256?: string | null; launcher_version?: string | null; linker?: string | null };
  build_seconds?: number;
  baseline_build_seconds?: number;
  measure_seconds?: number;
  links?: number;
  layout_sigma?: number;
  log?: string | null;
  warnings?: string[];
}

export interface Job {
  id: string;
  target: string;
  campaign: string | null;
  candidate: string | null;
  origin: string | null;
  note: string | null;
  stage: string;
  baseline: string;
  metric: string;
  state: string;
  late: boolean; // dead because its deadline passed
  outcome: string | null;
  reason: string | null;
  verdict: string | null;
  reward: Reward | null;
  created_at: string;
  finished_at: string | null;
  attempts?: Attempt[];
  rules?: Rule[];
  result?: JobResult | null;
}

export interface SiblingJob {
  id: string;
  stage: string;
  baseline: string;
  state: string;
  outcome: string | null;
  verdict: string | null;
  reward: Reward | null;
  finished_at: string | null;
  note: string | null;
}

export interface PairColumns {
  pair: number[];
  input: (string | null)[];
  metric: string[];
  block: number[];
  layout: number[];
  baseline: number[];
  candidate: number[];
  log_ratio: number[];
  candidate_first: boolean[];
}

export interface Parent {
  id: string;
  index: number;
  set_number: number;
  note: string | null;
  reward: Reward | null;
  rules: Rule[];
  why: string;
}

export interface JobPage {
  job: Job;
  target_version: number;
  commit: string | null;
  worker: string | null;
  candidate: {
    id: string;
    index: number;
    set: string;
    set_number: number;
    origin: string | null;
    note: string | null;
    log_propensity: number | null;
    finalist: number | null;
    winner: boolean;
  } | null;
  jobs: SiblingJob[];
  pairs: ColumnTable<PairColumns>;
  samples_of: string | null;
  parent: Parent | null;
  policies: { version: number; promoted: boolean }[];
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

// GET /v1/campaigns/{id}/candidates
export interface CampaignCandidates {
  items: {
    id: string;
    index: number;
    rules?: Rule[];
    job: { id: string; state: string; outcome: string | null; verdict: string | null; reward: Reward | null } | null;
  }[];
}
