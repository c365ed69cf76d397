// What somebody with the role may do about a comparison.
import { post } from '../../api/client';
import type { JobPage } from '../../api/shapes_campaign';
import { rewardText } from '../../format/reward';
import { navigate, pathTo } from '../../route/router';
import { Confirm } from '../../ui/confirm';
import { useMay } from '../../ui/who';
import { PolicyActions } from '../policies/policy_actions';

export function JobActions({ page, refresh }: { page: JobPage; refresh: () => void }) {
  const maySubmit = useMay('submit');
  const { job } = page;
  const name = page.candidate ? `candidate ${page.candidate.set_number}.${page.candidate.index}` : 'this job';
  const running = job.state === 'queued' || job.state === 'leased';
  const newest = page.policies.reduce((most, policy) => Math.max(most, policy.version), 0);
  const policy = page.policies.find((one) => one.version === newest);
  return (
    <>
      {maySubmit && job.rules && job.rules.length > 0 ? (
        <Confirm label="Re-measure" question={`Measure ${name} of ${job.target} again?`} confirm="Measure it"
          act={async () => {
            const note = `re-measured: ${job.note ?? name}`.slice(0, 200);
            const answer = await post<{ jobs: { id: string }[] }>(
              '/v1/jobs',
              { jobs: [{ target: job.target, rules: job.rules, note, stage: 'confirm', baseline: job.baseline }] },
              { 'Idempotency-Key': newKey() },
            );
            const id = answer.jobs[0]?.id;
            if (id) {
              navigate(pathTo('jobs', id));
            }
            return 'Queued';
          }}>
          A new job with the same rules against {job.baseline}, on fresh pairs, beside the results there are. So far: {rewardText(job.reward)}.
        </Confirm>
      ) : null}
      {maySubmit && running ? (
        <Confirm label="Cancel job" question={`Cancel the ${job.stage} job of ${name}?`} confirm="Cancel it" danger
          act={async () => { await post(`/v1/jobs/${job.id}/cancel`); refresh(); return 'Cancelled'; }}>
          A worker that measures it is told by its next heartbeat.
        </Confirm>
      ) : null}
      {policy ? <PolicyActions target={job.target} version={policy.version} promoted={policy.promoted} inForce={undefined} refresh={refresh} /> : null}
    </>
  );
}

// randomUUID is there on secure origins only; a coordinator may be reached by plain HTTP from within a network.
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
