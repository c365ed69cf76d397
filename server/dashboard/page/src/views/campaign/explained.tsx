// Why one candidate won or lost: what it does differently from its parent, file by file and pass by pass. Without a
// choice it is the winner, else the best in the race.
import { useLoad } from '../../api/load';
import type { CampaignDetail, JobPage } from '../../api/shapes_campaign';
import { rewardText } from '../../format/reward';
import { pathTo, setQuery } from '../../route/router';
import { Panel, Waiting } from '../../ui/panel';
import { RulesDiff } from '../job/rules_diff';
import { Ablation } from './ablation';

export function Explained({ campaign, chosen }: { campaign: CampaignDetail; chosen: string | null }) {
  const id = chosen ?? campaign.winner_candidate ?? campaign.best_candidate;
  const { data, error } = useLoad<JobPage>(id ? `/v1/views/candidates/${encodeURIComponent(id)}` : null);
  if (!id) {
    return <Panel title="What the best one changes"><p class="empty">Nothing was measured yet.</p></Panel>;
  }
  const what = chosen ? 'chosen candidate' : id === campaign.winner_candidate ? 'winner' : 'best in the race';
  const actions = (
    <>
      <a href={pathTo('candidates', id)}>Open</a>
      {chosen ? <button type="button" onClick={() => setQuery({ candidate: null })}>Back to the best</button> : null}
    </>
  );
  return (
    <Panel title={`What the ${what} changes`} actions={actions}>
      {data ? (
        <div class="stack">
          <p>
            <b>{data.candidate ? `${data.candidate.set_number}.${data.candidate.index}` : ''}</b> {rewardText(data.job.reward)}{' '}
            {data.job.reason ? <span class="loss">{data.job.reason}</span> : null}{' '}
            <span class="quiet">
              {data.parent
                ? `against ${data.parent.set_number}.${data.parent.index} (${rewardText(data.parent.reward)}): ${data.parent.why}`
                : `against plain ${data.job.baseline}, since it has no parent`}
            </span>
          </p>
          <RulesDiff before={data.parent?.rules ?? []} after={data.job.rules ?? []} plain={`default<${data.job.baseline === 'Oz' ? 'Oz' : 'O3'}>`} />
          <Ablation campaign={campaign.id} candidates={campaign.candidates} own={id} rules={data.job.rules ?? []} />
        </div>
      ) : <Waiting error={error} />}
    </Panel>
  );
}
