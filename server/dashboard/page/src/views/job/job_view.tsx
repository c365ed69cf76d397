// Baseline against candidate: how sure are we, and why.
import { useLoad } from '../../api/load';
import type { JobPage } from '../../api/shapes_campaign';
import { withQuery } from '../../api/client';
import { useLive } from '../../live/use_live';
import { rewardText } from '../../format/reward';
import { pathTo, setQuery, usePlace } from '../../route/router';
import { LiveMark } from '../../ui/badges';
import { Downloads } from '../../ui/downloads';
import { Failure, Head, Panel, Waiting } from '../../ui/panel';
import { BesidePanel } from './beside_panel';
import { DistributionPanel } from './distribution_panel';
import { FilesTable } from './files_table';
import { JobActions } from './job_actions';
import { AttemptsTable, JobsTable } from './jobs_table';
import { RulesDiff } from './rules_diff';
import { VerdictPanel } from './verdict_panel';

export function JobView({ kind, id }: { kind: 'jobs' | 'candidates'; id: string }) {
  const { query } = usePlace();
  const path = withQuery(`/v1/views/${kind}/${encodeURIComponent(id)}`, { stage: kind === 'candidates' ? query.get('stage') : null });
  const { data, error, reload } = useLoad<JobPage>(path);
  const running = data !== null && (data.job.state === 'queued' || data.job.state === 'leased');
  const live = useLive(running ? `/v1/events?job=${encodeURIComponent(data.job.id)}` : null, 1000, reload);
  if (!data) {
    return (
      <>
        <Head title={kind === 'jobs' ? 'Job' : 'Candidate'} sub={<span class="mono">{id}</span>} />
        <Waiting error={error} />
      </>
    );
  }
  const { job } = data;
  return (
    <>
      <Head title={<Title page={data} />} sub={data.candidate?.note ?? job.note ?? ''}>
        {running ? <LiveMark state={live.state} events={live.events} /> : null}
        <JobActions page={data} refresh={reload} />
        <Downloads server={{ path, tables: ['pairs', 'decisions', 'binaries'] }} name={`${job.target}-${job.id.slice(0, 8)}`} />
      </Head>
      <Failure error={error} />
      {(job.result?.warnings ?? []).map((warning, index) => <p key={index} class="note care">{warning}</p>)}
      <div class="columns">
        <div class="w4 stack">
          <VerdictPanel job={job} />
          <BesidePanel page={data} />
        </div>
        <div class="w8 stack">
          <DistributionPanel page={data} />
          <DiffPanel page={data} />
        </div>
      </div>
      <Panel title="Files" flush><FilesTable decisions={job.result?.decisions ?? []} /></Panel>
      <div class="columns">
        <div class="w6"><Panel title="Jobs of this candidate" flush><JobsTable jobs={data.jobs} own={job.id} /></Panel></div>
        <div class="w6"><Panel title="Attempts" flush><AttemptsTable attempts={job.attempts ?? []} /></Panel></div>
      </div>
      <Panel title="Log of build and benchmark">
        {job.result?.log ? <pre class="log" tabIndex={0} aria-label="Log">{job.result.log}</pre> : <p class="quiet">No log was kept.</p>}
      </Panel>
    </>
  );
}

function Title({ page }: { page: JobPage }) {
  const { job, candidate } = page;
  return (
    <>
      <a href={pathTo('targets', job.target)}>{job.target}</a>,{' '}
      {candidate ? `candidate ${candidate.set_number}.${candidate.index}` : 'a job by hand'}
      {candidate?.winner ? <span class="gain"> ★ winner</span> : null}
      {job.campaign ? <>{' of '}<a href={pathTo('campaigns', job.campaign)}>campaign <span class="mono">{job.campaign.slice(0, 8)}</span></a></> : null}
    </>
  );
}

// Against its parent where it has one; against plain when that is asked for.
function DiffPanel({ page }: { page: JobPage }) {
  const { query } = usePlace();
  const { parent, job } = page;
  const plain = parent === null || query.get('against') === 'plain';
  const whole = `default<${job.baseline === 'Oz' ? 'Oz' : 'O3'}>`;
  return (
    <Panel
      title="What it changes"
      actions={
        parent ? (
          <label>
            against
            <select value={plain ? 'plain' : 'parent'} onChange={(event) => setQuery({ against: event.currentTarget.value === 'plain' ? 'plain' : null })}>
              <option value="parent">{`its parent ${parent.set_number}.${parent.index}`}</option>
              <option value="plain">{`plain ${whole}`}</option>
            </select>
          </label>
        ) : null
      }
    >
      <div class="stack">
        {!plain && parent ? (
          <p class="quiet">
            <a href={pathTo('candidates', parent.id)}>{parent.set_number}.{parent.index}</a> came to {rewardText(parent.reward)}; {parent.why}.
          </p>
        ) : null}
        <RulesDiff before={plain ? kNone : (parent?.rules ?? kNone)} after={job.rules ?? kNone} plain={whole} />
      </div>
    </Panel>
  );
}

const kNone: never[] = [];
