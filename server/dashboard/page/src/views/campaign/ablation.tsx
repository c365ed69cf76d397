// Which parts matter: candidates of this campaign that are the chosen one less a single part. They exist where the
// proposer tried them; nothing is estimated here.
import { useMemo } from 'preact/hooks';
import { useLoad } from '../../api/load';
import type { Rule } from '../../api/shapes';
import type { CampaignCandidates } from '../../api/shapes_campaign';
import { rewardText } from '../../format/reward';
import { onePartLess, partsOf } from '../../pipeline/rule_parts';
import { pathTo } from '../../route/router';

// The list with all rules is large: past this many candidates it is not fetched for a side note.
export const kMostForAblation = 1000;

export function Ablation({ campaign, candidates, own, rules }: { campaign: string; candidates: number; own: string; rules: Rule[] }) {
  const few = candidates <= kMostForAblation && partsOf(rules).length > 1;
  const { data } = useLoad<CampaignCandidates>(few ? `/v1/campaigns/${encodeURIComponent(campaign)}/candidates` : null);
  const found = useMemo(() => {
    const items = data?.items ?? [];
    return items.flatMap((item) => {
      const part = item.id === own ? null : onePartLess(rules, item.rules ?? []);
      return part && item.job?.outcome ? [{ item, part }] : [];
    });
  }, [data, own, rules]);
  if (!few) {
    return null;
  }
  return (
    <div>
      <h3>Without one part</h3>
      {found.length === 0 ? (
        <p class="quiet">{data ? 'No candidate is this one less a single part: which part matters was not measured.' : 'Loading'}</p>
      ) : (
        <ul>
          {found.map(({ item, part }) => (
            <li key={item.id}>
              <a href={pathTo('candidates', item.id)}>without <code>{part.what}</code> in {part.where}</a>:{' '}
              {item.job?.reward ? rewardText(item.job.reward) : (item.job?.verdict ?? item.job?.outcome ?? '').replaceAll('_', ' ')}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
