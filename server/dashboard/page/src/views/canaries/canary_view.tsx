// One canary: its ramp, each indicator over its windows, and what was decided, with why.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { CanaryPage, Indicator } from '../../api/shapes_canary';
import { count, fixed, plural } from '../../format/number';
import { sliName } from '../../format/sli';
import { ago, moment, seconds } from '../../format/time';
import { pathTo, setQuery, usePlace } from '../../route/router';
import { Badge, LiveMark, plainWord } from '../../ui/badges';
import { Downloads } from '../../ui/downloads';
import { RewardText } from '../../ui/interval';
import { Facts, Failure, Head, Panel, Waiting } from '../../ui/panel';
import { leftText, objectiveText, spentText, windowText } from './budget';
import { CanaryActions } from './canary_actions';
import { IndicatorsTable, LimitsTable, WindowsTable } from './canary_tables';
import { kMostPoints, RatioChart, ValueChart } from './ratio_chart';
import { pointsOf, spanOfCanary, type Span } from './ratio_data';
import { Timeline } from './timeline';
import { Trail } from './trail';
import { useCanary } from './use_canary';

export function CanaryView({ id }: { id: string }) {
  const path = `/v1/views/canaries/${encodeURIComponent(id)}`;
  const { data, error, state, reload } = useCanary(path);
  return (
    <>
      <Head title={data ? <>Canary of {data.canary.target} <Badge word={data.canary.status.state} /></> : 'Canary'} sub={data ? <Sub page={data} /> : ''}>
        <LiveMark state={state} events={0} />
        {data ? <CanaryActions page={data} refresh={reload} /> : null}
        <Downloads server={{ path, tables: ['indicators', 'decisions', 'windows', 'ratios'] }} name={`canary-${id.slice(0, 8)}`} />
      </Head>
      {data ? <><Failure error={error} /><Body page={data} /></> : <Waiting error={error} />}
    </>
  );
}

function Sub({ page }: { page: CanaryPage }) {
  const { canary, policy } = page;
  return (
    <>
      <a href={pathTo('policies', canary.target)}>policy v{canary.policy_version}</a>
      {policy?.candidate ? <>{', '}<a href={pathTo('candidates', policy.candidate)}>its candidate</a></> : null}
      {policy?.campaign ? <>{', '}<a href={pathTo('campaigns', policy.campaign)}>campaign <span class="mono">{policy.campaign.slice(0, 8)}</span></a></> : null}
      {canary.known_good === null ? '; against what was in force without a policy' : `; against v${canary.known_good}`}
      {canary.policy_in_force === null ? '; no version is in force' : canary.policy_in_force === canary.policy_version ? '; it is in force' : `; v${canary.policy_in_force} is in force`}
      {canary.created_by ? `; begun by ${canary.created_by}` : ''}
    </>
  );
}

function Body({ page }: { page: CanaryPage }) {
  const span = useMemo(() => spanOfCanary(page), [page]);
  const values = usePlace().query.get('show') === 'values';
  const { canary, windows } = page;
  return (
    <>
      <div class="columns">
        <div class="w8 stack">
          <Panel title="Ramp"><Timeline page={page} span={span} /></Panel>
          <Panel title="Decisions" flush><Trail decisions={page.decisions} now={Date.parse(page.now)} /></Panel>
        </div>
        <div class="w4 stack">
          <Panel title="Decision"><Decision page={page} /></Panel>
          <Panel title="Error budget"><BudgetFacts page={page} /></Panel>
        </div>
      </div>
      <Panel title="Indicators, as they stand" flush><IndicatorsTable indicators={page.indicators} /></Panel>
      <Panel title={`Canary against baseline, window by window (${seconds(canary.service.window_seconds)} each)`}
        actions={
          <label>
            show
            <select value={values ? 'values' : ''} onChange={(event) => setQuery({ show: event.currentTarget.value })}>
              <option value="">log ratios</option>
              <option value="values">values and hard limits</option>
            </select>
          </label>
        }>
        {windows.rows === 0 ? <p class="empty">No window is over yet.</p> : (
          <>
            <Legend values={values} step={Math.ceil(windows.rows / kMostPoints)} />
            <div class="columns">
              {page.indicators.map((indicator) => <div key={indicator.sli} class="w4"><Chart page={page} indicator={indicator} span={span} values={values} /></div>)}
            </div>
          </>
        )}
      </Panel>
      <div class="columns">
        <div class="w4"><Panel title="Hard limits" flush><LimitsTable indicators={page.indicators} ratios={page.ratios.columns} /></Panel></div>
        <div class="w8"><Panel title={`Windows (${count(windows.rows)})`} flush><WindowsTable windows={windows.columns} rows={windows.rows} /></Panel></div>
      </div>
    </>
  );
}

function Chart({ page, indicator, span, values }: { page: CanaryPage; indicator: Indicator; span: Span; values: boolean }) {
  const points = useMemo(() => pointsOf(page.windows.columns, page.ratios.columns, indicator.sli), [page.windows, page.ratios, indicator.sli]);
  return (
    <figure>
      <h3>{sliName(indicator.sli)} <Badge word={indicator.finding} /></h3>
      {values ? <ValueChart indicator={indicator} points={points} span={span} /> : <RatioChart indicator={indicator} points={points} span={span} />}
    </figure>
  );
}

function Legend({ values, step }: { values: boolean; step: number }) {
  return (
    <div class="legend" aria-hidden="true">
      {values ? (
        <>
          <span><i class="key round baseline-ground" />baseline</span>
          <span><i class="key round accent-ground-strong" />canary, in that window alone</span>
          <span><i class="key line loss-ground" />hard limit</span>
        </>
      ) : (
        <>
          <span><i class="key round point-ground" />one window alone; above zero the canary is better</span>
          <span><i class="key line" />all windows until then</span>
          <span><i class="key band-ground" />interval, which holds at every look</span>
          <span><i class="key line loss-ground" />harm that is tolerated</span>
          <span><i class="key line change-ground-flat" />harm that would be seen</span>
        </>
      )}
      <span>× lost: nothing was told</span>
      {step > 1 ? <span>1 window in {step} has its point</span> : null}
    </div>
  );
}

function Decision({ page }: { page: CanaryPage }) {
  const { canary, taught, policy, windows } = page;
  const { status } = canary;
  const lost = windows.columns.canary.filter((outcome, row) => outcome !== 'ok' || windows.columns.baseline[row] !== 'ok').length;
  const slo = (taught?.slis ?? []).filter((one) => one.slo_reward !== null);
  return (
    <div class="stack">
      <p><Badge word={status.state} /> {status.reason || 'Nothing was decided yet.'}</p>
      {status.state === 'judged' && canary.spec.ramp.approval === 'by_hand' ? <p class="note care">It waits for somebody to approve it.</p> : null}
      {canary.follows || status.state === 'prepared' ? null : <p class="note care">Traffic was last seen not to be as decided; honed goes on telling the balancer.</p>}
      <Facts
        items={[
          ['share of traffic', `${status.share} %${status.state === 'ramping' ? `, step ${status.step + 1} of ${canary.spec.ramp.steps.length} (${canary.spec.ramp.steps.join(', ')} %)` : ''}`],
          ['began', `${moment(canary.created_at)} (${ago(canary.created_at, Date.parse(page.now))})`],
          ['ended', canary.ended_at ? `${moment(canary.ended_at)}, after ${seconds((Date.parse(canary.ended_at) - Date.parse(canary.created_at)) / 1000)}` : 'not yet'],
          ...(status.cause ? [['because of', plainWord(status.cause)] as [string, string]] : []),
          ['windows', `${plural(windows.rows, 'window')}, ${count(lost)} lost; at least ${canary.spec.ramp.step_windows} a step`],
          ['reward', <Reward page={page} />],
          ...slo.map((one): [string, string] => [`${sliName(one.sli)} of the canary`, `${fixed(100 * Math.exp(-(one.slo_reward ?? 0)), 0)} % of the objective’s ${seconds(canary.service.objective.latency)}`]),
          ['in staging', policy?.reward ? <><RewardText reward={policy.reward} /> <span class="quiet">against {policy.baseline ?? 'its baseline'}</span></> : <span class="quiet">not measured there</span>],
        ]}
      />
    </div>
  );
}

// What the learner gets, which is there once it has ended.
function Reward({ page }: { page: CanaryPage }) {
  const { taught } = page;
  const sli = taught?.slis[0]?.sli ?? page.indicators[0]?.sli;
  if (!taught) {
    return <span class="quiet">not yet: it comes with the end</span>;
  }
  if (!taught.reward) {
    return <><Badge word={taught.outcome} /> <span class="quiet">nothing was taught</span></>;
  }
  return (
    <>
      <RewardText reward={taught.reward} digits={2} />{' '}
      <span class="quiet">{sli ? `of ${sliName(sli)}, ` : ''}{Math.round(taught.reward.confidence * 100)} % interval over {plural(taught.reward.pairs, 'window')}{taught.verdict ? `: ${plainWord(taught.verdict)}` : ''}</span>
    </>
  );
}

function BudgetFacts({ page }: { page: CanaryPage }) {
  const { budget, service } = page.canary;
  return (
    <div class="stack">
      <Facts
        items={[
          ['objective', `${objectiveText(service.objective)}, over ${windowText(service.objective)}`],
          ...(budget ? ([
            ['spent', spentText(budget)],
            ['remaining', <span class={budget.spent ? 'loss' : ''}>{leftText(budget)}</span>],
            ['bad requests', `${count(Math.round(budget.bad))} of ${count(Math.round(budget.requests))}, ${count(Math.round(budget.bad_canary))} by the canary; ${count(Math.round(budget.allowed))} allowed`],
          ] as [string, ComponentChildren][]) : ([['spent', <span class="quiet">not known yet</span>]] as [string, ComponentChildren][])),
        ]}
      />
      <p class="quiet">As this canary last saw it. <a href={`${pathTo('canaries')}?target=${encodeURIComponent(page.canary.target)}`}>All canaries of the service, and its budget now</a></p>
    </div>
  );
}
