// Every decision of a canary, the newest first, each with all of its reason.
import type { CanaryDecision } from '../../api/shapes_canary';
import { plural } from '../../format/number';
import { ago, moment } from '../../format/time';
import { Badge } from '../../ui/badges';

export function Trail({ decisions, now }: { decisions: CanaryDecision[]; now: number }) {
  if (decisions.length === 0) {
    return <p class="empty">Nothing was decided yet.</p>;
  }
  return (
    <ol class="attention" aria-label="Decisions, newest first">
      {[...decisions].reverse().map((decision, index) => (
        <li key={decisions.length - index}>
          <span>
            <Badge word={decision.state} /> {decision.share} % of traffic, {plural(decision.windows, 'window')} known,{' '}
            {decision.judgement?.finding ? <Badge word={decision.judgement.finding} /> : <span class="quiet">not judged yet</span>}
          </span>
          <span class="quiet" title={ago(decision.at, now)}>{moment(decision.at)}</span>
          <span class="what">{decision.reason || <span class="quiet">no reason was given</span>}</span>
        </li>
      ))}
    </ol>
  );
}
