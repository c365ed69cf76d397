// States, outcomes and verdicts: always the word itself, the colour only helps the eye.
import type { LiveState } from '../live/follow';

type Tone = 'gain' | 'loss' | 'warn' | 'accent' | '';

const kTones: Record<string, Tone> = {
  faster: 'gain',
  slower: 'loss',
  too_noisy: 'warn',
  miscompiled: 'loss',
  compiler_crashed: 'loss',
  build_failed: 'loss',
  benchmark_failed: 'loss',
  baseline_failed: 'loss',
  fetch_failed: 'loss',
  crashed: 'loss',
  broken_module: 'loss',
  timed_out: 'warn',
  limit_exceeded: 'warn',
  nondeterministic: 'warn',
  no_data: 'warn',
  insufficient_traffic: 'warn',
  dead: 'loss',
  failed: 'loss',
  racing: 'accent',
  confirming: 'accent',
  leased: 'accent',
  waiting: 'accent',
  regression: 'loss',
  failed_campaign: 'loss',
  failed_job: 'loss',
  failed_candidates: 'warn',
  noisy_worker: 'warn',
  unfit_worker: 'warn',
  lost_worker: 'loss',
  fell_back: 'warn',
  waiting_canary: 'warn',
  rolled_back_canary: 'loss',
  spent_budget: 'loss',
  prepared: 'accent',
  ramping: 'accent',
  judged: 'accent',
  promoted: 'gain',
  rolled_back: 'loss',
  aborted: 'warn',
  better: 'gain',
  worse: 'loss',
  undecided: 'warn',
  scrape_gap: 'warn',
  counter_reset: 'warn',
  not_a_number: 'warn',
  no_traffic: 'warn',
};

export function toneOf(word: string): Tone {
  return kTones[word] ?? '';
}

export function plainWord(word: string): string {
  return word.replaceAll('_', ' ');
}

export function Badge({ word, tone }: { word: string | null | undefined; tone?: Tone }) {
  return word ? <span class={`badge ${tone ?? toneOf(word)}`}>{plainWord(word)}</span> : null;
}

// How a job stands: its verdict if it has one, else its outcome, else its state.
export function Standing(job: { state: string | null; outcome: string | null; verdict: string | null }) {
  const word = job.verdict ?? (job.outcome && job.outcome !== 'ok' ? job.outcome : null) ?? job.state ?? 'not tried';
  return <Badge word={word} />;
}

const kLiveWords: Record<LiveState, string> = {
  connecting: 'connecting',
  live: 'live',
  waiting: 'connection lost, trying again',
  ended: 'not live',
};

// Polite and short: what changes all the time is not read out, only whether it does.
export function LiveMark({ state, events }: { state: LiveState; events: number }) {
  return (
    <span class={`badge ${state === 'live' ? 'accent' : state === 'waiting' ? 'warn' : ''}`}>
      <span role="status">{kLiveWords[state]}</span>
      {events > 0 ? <span aria-hidden="true"> · {events.toLocaleString('en-US')} events</span> : null}
    </span>
  );
}
