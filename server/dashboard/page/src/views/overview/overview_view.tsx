// What is going on: the first thing one sees in the morning, and what stays open on the second screen.
import { useEffect } from 'preact/hooks';
import { useLoad } from '../../api/load';
import type { FleetHealth, Overview } from '../../api/shapes_overview';
import { useLive } from '../../live/use_live';
import { count } from '../../format/number';
import { pathTo } from '../../route/router';
import { LiveMark } from '../../ui/badges';
import { Downloads } from '../../ui/downloads';
import { Failure, Figure, Head, Panel, Waiting } from '../../ui/panel';
import { AttentionList } from './attention';
import { RunningTable } from './running_table';
import { TargetsTable } from './targets_table';

const kPath = '/v1/views/overview';
const kPollMs = 10_000;

export function OverviewView() {
  const { data, error, reload } = useLoad<Overview>(kPath);
  const live = useLive('/v1/events', 2000, reload);
  useEffect(() => {
    // Workers that fall silent make no event.
    const timer = setInterval(reload, kPollMs);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <Head title="Overview">
        <LiveMark state={live.state} events={live.events} />
        <Downloads server={{ path: kPath, tables: ['targets', 'trend', 'campaigns', 'fleet', 'attention'] }} name="overview" />
      </Head>
      {data ? (
        <>
          <Failure error={error} />
          <Figures data={data} />
          <div class="columns">
            <div class="w9 stack">
              <Panel title="Targets" flush>
                <TargetsTable targets={data.targets} trend={data.trend} now={Date.parse(data.now)} />
              </Panel>
              <Panel title="Running campaigns" flush>
                <RunningTable campaigns={data.campaigns} now={Date.parse(data.now)} />
              </Panel>
            </div>
            <div class="w3">
              <Panel title={`Needs attention (${data.attention.length})`} flush>
                <AttentionList items={data.attention} now={Date.parse(data.now)} />
              </Panel>
            </div>
          </div>
        </>
      ) : (
        <Waiting error={error} />
      )}
    </>
  );
}

function Figures({ data }: { data: Overview }) {
  const confirmed = data.targets.filter((target) => target.best !== null && target.best.reward.low > 0).length;
  return (
    <section class="panel" aria-label="At a glance">
      <div class="body figures">
        <Figure value={`${count(confirmed)} of ${count(data.targets.length)}`} label="targets with a verified gain" />
        <Figure value={count(data.campaigns.length)} label="campaigns running" />
        <FleetFigures fleet={data.fleet} />
      </div>
    </section>
  );
}

function FleetFigures({ fleet }: { fleet: FleetHealth }) {
  return (
    <>
      <Figure value={<a href={pathTo('fleet')}>{`${count(fleet.alive)} of ${count(fleet.workers)}`}</a>} label="workers alive" />
      <Figure value={`${count(fleet.busy)} of ${count(fleet.slots)}`} label="slots busy" />
      <Figure value={count(fleet.queued)} label="jobs queued" />
      {fleet.drained > 0 ? <Figure value={count(fleet.drained)} label="drained" tone="warn" /> : null}
      {fleet.unfit > 0 ? <Figure value={count(fleet.unfit)} label="in quarantine" tone="warn" /> : null}
    </>
  );
}
