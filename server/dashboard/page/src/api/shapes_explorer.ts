// GET /v1/views/explorer and /v1/sessions
export interface ExplorerAction {
  name: string;
  pipeline: string;
  level: string;
}

export interface Transition {
  from: string | null;
  to: string | null;
  pipelines: string[];
  failed_pipeline: string | null;
  outcome: string;
  times: number;
  rewards: Record<string, number> | null;
}

export interface Explorer {
  available: boolean;
  compiler: string | null;
  actions: ExplorerAction[];
  whole_pipelines: { name: string; pipeline: string }[];
  observations: string[];
  rewards: string[];
  programs: { program: string; size_bytes: number | null; episodes: number; steps: number; last_at: string | null }[];
  program: string | null;
  root: string | null;
  transitions?: Transition[];
  states?: { state_id: string; instructions: number | null }[];
}

export interface SessionState {
  session: string;
  outcome: 'ok' | 'crashed' | 'timed_out' | 'limit_exceeded' | 'broken_module';
  pipeline?: string;
  reason?: string;
  applied: number;
  changed: boolean;
  length: number;
  observations?: Record<string, unknown>;
  rewards?: Record<string, number>;
  masked?: Record<string, string>;
}
