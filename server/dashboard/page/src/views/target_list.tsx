// The way to a target's history.
import { useLoad } from '../api/load';
import type { Overview } from '../api/shapes_overview';
import { Downloads } from '../ui/downloads';
import { Failure, Head, Panel, Waiting } from '../ui/panel';
import { TargetsTable } from './overview/targets_table';

export function TargetList() {
  const { data, error } = useLoad<Overview>('/v1/views/overview');
  return (
    <>
      <Head title="History" sub="Choose a target: its metric over commits and time.">
        <Downloads server={{ path: '/v1/targets?limit=1000', tables: ['targets'] }} name="targets" />
      </Head>
      {data ? (
        <>
          <Failure error={error} />
          <Panel title="Targets" flush>
            <TargetsTable targets={data.targets} trend={data.trend} now={Date.parse(data.now)} />
          </Panel>
        </>
      ) : <Waiting error={error} />}
    </>
  );
}
