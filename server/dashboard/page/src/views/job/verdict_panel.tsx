// The answer in words first, then the numbers that carry it.
import type { Reward } from '../../api/shapes';
import type { Job } from '../../api/shapes_campaign';
import { count, fixed } from '../../format/number';
import { percentOf } from '../../format/reward';
import { Badge, plainWord } from '../../ui/badges';
import { RewardText } from '../../ui/interval';
import { Facts, Panel } from '../../ui/panel';

export function verdictSentence(job: Job): string {
  if (job.late) {
    return 'The time was up before it was measured: there is no result.';
  }
  if (job.state !== 'done') {
    return job.state === 'dead' ? 'All attempts were used up: there is no result.' : job.state === 'cancelled' ? 'Cancelled: there is no result.' : 'Not measured yet.';
  }
  if (job.outcome !== 'ok') {
    return `No reward: ${plainWord(job.outcome ?? 'no outcome')}.`;
  }
  const better = isSize(job.metric) ? 'smaller' : 'faster';
  const worse = isSize(job.metric) ? 'larger' : 'slower';
  switch (job.verdict) {
    case 'faster':
      return `${better[0]?.toUpperCase()}${better.slice(1)} than ${job.baseline}: the whole interval is above zero.`;
    case 'slower':
      return `${worse[0]?.toUpperCase()}${worse.slice(1)} than ${job.baseline}: the whole interval is below zero.`;
    case 'no_change':
      return job.reward ? 'No effect of the size that counts here, in either direction.' : 'The same binary as the baseline: nothing to measure.';
    case 'within_noise':
      return 'A difference, but smaller than what counts here.';
    case 'inconclusive':
      return 'Not decided: zero lies within the interval.';
    case 'too_noisy':
      return 'The runs vary too much to tell.';
    default:
      return 'There is no verdict.';
  }
}

// A size or a count of instructions is the same in every run: there is nothing to be sure of.
function certainty(reward: Reward): [string, string][] {
  if (reward.low === reward.high && reward.noise === 0) {
    return [
      ['exact', 'every run gives the same number, so one pair says all'],
      ['pairs', count(reward.pairs)],
    ];
  }
  return [
    ['confidence', `${fixed(reward.confidence * 100, 0)} %`],
    ['pairs', count(reward.pairs)],
    ['could have seen', `an effect of ${fixed(percentOf(reward.detectable_effect), 2)} % with this many pairs`],
    ['noise of a pair', `${fixed(reward.noise * 100, 2)} % (standard deviation)`],
  ];
}

function isSize(metric: string): boolean {
  return metric.endsWith('_bytes');
}

export function VerdictPanel({ job }: { job: Job }) {
  const { reward } = job;
  return (
    <Panel title="Verdict" actions={<Badge word={job.verdict ?? job.outcome ?? job.state} />}>
      <div class="stack">
        <div class="figure">
          <b>{reward ? <RewardText reward={reward} digits={2} /> : <span class="quiet">no reward</span>}</b>
          <span>{verdictSentence(job)}</span>
        </div>
        {job.reason ? <p class={job.outcome === 'ok' ? 'note' : 'note bad'}>{job.reason}</p> : null}
        {reward ? (
          <Facts
            items={[
              ...certainty(reward),
              ['as log ratio', `${fixed(reward.value, 5)} [${fixed(reward.low, 5)}, ${fixed(reward.high, 5)}]`],
              ['stage', job.stage === 'confirm' ? 'confirmation, on fresh pairs' : 'race: it ranks, and the best of many looks better than it is'],
            ]}
          />
        ) : null}
      </div>
    </Panel>
  );
}
