// One campaign: how the search went, every candidate, what the best one does differently.
import { useMemo } from 'preact/hooks';
import { post } from '../../api/client';
import type { CampaignDetail, CampaignPage } from '../../api/shapes_campaign';
import { count } from '../../format/number';
import { ago, moment } from '../../format/time';
import { pathTo, setQuery, usePlace } from '../../route/router';
import { Badge, LiveMark } from '../../ui/badges';
import { Confirm } from '../../ui/confirm';
import { Downloads } from '../../ui/downloads';
import { RewardText } from '../../ui/interval';
import { Meter } from '../../ui/meter';
import { Failure, Figure, Head, Panel, Waiting } from '../../ui/panel';
import { memo } from '../../ui/memo';
import { useMay } from '../../ui/who';
import { budgetText } from '../overview/running_table';
import type { Across } from './best_so_far';
import { CandidatePanel } from './candidate_panel';
import { Explained } from './explained';
import { filterOf, filterRows, isFiltered } from './filter';
import { OriginsTable } from './origins_table';
import { SearchChart } from './search_chart';
import { isRunning, useCampaign } from './use_campaign';

export function CampaignView({ id }: { id: string }) {
  const { page, error, live, refresh } = useCampaign(id);
  const maySubmit = useMay('submit');
  if (!page) {
    return (
      <>
        <Head title="Campaign" sub={<span class="mono">{id}</span>} />
        <Waiting error={error} />
      </>
    );
  }
  const { campaign } = page;
  return (
    <>
      <Head
        title={<><a href={pathTo('targets', campaign.target)}>{campaign.target}</a>, campaign <span class="mono">{id.slice(0, 8)}</span> <Badge word={campaign.state} /></>}
        sub={`${campaign.metric} against ${campaign.baseline} · version ${campaign.target_version} of the target · began ${moment(campaign.created_at)} · seed ${campaign.seed}`}
      >
        {isRunning(campaign.state) ? <LiveMark state={live.state} events={live.events} /> : null}
        {maySubmit && isRunning(campaign.state) ? (
          <Confirm label="Cancel campaign" question={`End this campaign of ${campaign.target}?`} confirm="End it" danger
            act={async () => { await post(`/v1/campaigns/${id}/cancel`); refresh(); return 'Cancelled'; }}>
            What was measured stays. Jobs that wait are cancelled, a worker that measures one is told.
          </Confirm>
        ) : null}
        <Downloads server={{ path: `/v1/views/campaigns/${id}`, tables: ['candidates', 'sets'] }} name={`campaign-${id.slice(0, 8)}`} />
      </Head>
      <Failure error={error} />
      {campaign.reason ? <p class="note care">{campaign.reason}</p> : null}
      <CampaignFigures campaign={campaign} now={Date.parse(page.now)} />
      <Body page={page} />
    </>
  );
}

const Body = memo(function Body({ page }: { page: CampaignPage }) {
  const { query } = usePlace();
  const { campaign } = page;
  const columns = page.candidates.columns;
  const text = query.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(text)), [text]);
  const rows = useMemo(() => filterRows(columns, filter), [columns, filter.text, filter.standing, filter.origin]);
  const shown = useMemo(() => (isFiltered(filter) ? new Set(rows) : null), [rows, filter]);
  const across = acrossOf(query.get('across'));
  const choose = (
    <label>
      against
      <select value={across} onChange={(event) => setQuery({ across: event.currentTarget.value === 'order' ? null : event.currentTarget.value })}>
        <option value="order">candidates measured</option>
        <option value="spent">machine time spent</option>
        <option value="cost">a candidate's own cost</option>
      </select>
    </label>
  );
  return (
    <>
      <div class="columns">
        <div class="w8">
          <Panel title="Search" actions={choose}>
            <SearchChart columns={columns} across={across} shown={shown} />
          </Panel>
        </div>
        <div class="w4">
          <Explained campaign={campaign} chosen={query.get('candidate')} />
        </div>
      </div>
      <CandidatePanel columns={columns} rows={rows} filter={filter} winner={campaign.winner_candidate} />
      <Panel title="What kinds of candidates brought" flush>
        <OriginsTable columns={columns} />
      </Panel>
    </>
  );
});

function acrossOf(text: string | null): Across {
  return text === 'spent' || text === 'cost' ? text : 'order';
}

function CampaignFigures({ campaign, now }: { campaign: CampaignDetail; now: number }) {
  return (
    <section class="panel" aria-label="At a glance">
      <div class="body figures">
        <Figure value={campaign.confirmed ? <RewardText reward={campaign.confirmed} /> : campaign.finished_at ? 'no winner' : 'not yet'} label="confirmed on fresh pairs" />
        <Figure value={<RewardText reward={campaign.best_race} />} label="best in the race (flatters)" />
        <Figure value={`${count(campaign.finished)} of ${count(campaign.candidates)}`} label="candidates finished" />
        <Figure value={count(campaign.failed)} label="failed" tone={campaign.failed > 0 ? 'warn' : ''} />
        {campaign.late > 0 ? <Figure value={count(campaign.late)} label="late: the time was up" /> : null}
        <Figure value={budgetText(campaign)} label="budget" />
        {campaign.finished_at ? (
          <Figure value={moment(campaign.finished_at)} label="ended" />
        ) : (
          <>
            <Figure value={<Meter share={campaign.progress} label="progress" />} label="progress" />
            <Figure value={campaign.estimated_end ? ago(campaign.estimated_end, now) : 'unknown'} label="estimated end" />
            {campaign.deadline ? <Figure value={<span title={moment(campaign.deadline)}>{ago(campaign.deadline, now)}</span>} label="deadline" /> : null}
          </>
        )}
        {campaign.policy_version === null ? null : (
          <Figure value={<a href={pathTo('policies', campaign.target)}>v{campaign.policy_version}</a>} label="policy published" />
        )}
      </div>
    </section>
  );
}
