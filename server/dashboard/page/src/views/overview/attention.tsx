// What needs somebody: the newest first, each with the place where it can be looked into.
import type { Attention } from '../../api/shapes_overview';
import { ago, moment } from '../../format/time';
import { pathTo } from '../../route/router';
import { Badge } from '../../ui/badges';

function placeOf(item: Attention): string | null {
  if (item.kind === 'spent_budget' && item.target) {
    return `${pathTo('canaries')}?target=${encodeURIComponent(item.target)}`;
  }
  if (item.canary) {
    return pathTo('canaries', item.canary);
  }
  if (item.job) {
    return pathTo('jobs', item.job);
  }
  if (item.candidate) {
    return pathTo('candidates', item.candidate);
  }
  if (item.campaign) {
    return pathTo('campaigns', item.campaign);
  }
  if (item.worker) {
    return pathTo('fleet');
  }
  return item.target ? pathTo('targets', item.target) : null;
}

export function AttentionList({ items, now }: { items: Attention[]; now: number }) {
  if (items.length === 0) {
    return <p class="empty">Nothing needs attention.</p>;
  }
  return (
    <ul class="attention">
      {items.map((item, index) => {
        const place = placeOf(item);
        const about = [item.target, item.worker, item.source].filter((word) => word !== null).join(' · ');
        return (
          <li key={index}>
            <span>
              <Badge word={item.kind} />
              {item.count > 1 ? <span class="quiet"> ×{item.count.toLocaleString('en-US')}</span> : null}
            </span>
            <span class="quiet" title={moment(item.at)}>{ago(item.at, now)}</span>
            <span class="what">
              {place ? <a href={place}>{about || item.kind}</a> : about}
              <br />
              {item.text}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
