// What somebody with the right may do about a canary, each with a question first. The server says who may.
import { useState } from 'preact/hooks';
import { post } from '../../api/client';
import { isOver, type CanaryPage } from '../../api/shapes_canary';
import { sliName } from '../../format/sli';
import { plainWord } from '../../ui/badges';
import { Confirm } from '../../ui/confirm';
import { RatioText } from './ratio_text';

const kMostReason = 1024;

export function CanaryActions({ page, refresh }: { page: CanaryPage; refresh: () => void }) {
  const { canary } = page;
  const [reason, setReason] = useState('');
  if (!page.may_decide || isOver(canary.status.state)) {
    return null;
  }
  const path = `/v1/canaries/${canary.id}`;
  return (
    <>
      {canary.status.state === 'judged' ? (
        <Confirm label="Approve" question={`Give the canary of ${canary.target} all traffic?`} confirm="Approve it"
          act={async () => { await post(`${path}/approve`); refresh(); return 'Approved'; }}>
          Policy v{canary.policy_version} is put in force: all traffic goes to the canary, and builds get it with their next pull. It was judged so:
          <ul>
            {page.indicators.map((indicator) => (
              <li key={indicator.sli}>{sliName(indicator.sli)}: {plainWord(indicator.finding)}, <RatioText ratio={indicator.reward} /></li>
            ))}
          </ul>
        </Confirm>
      ) : null}
      <Confirm label="Abort" question={`End the canary of ${canary.target}?`} confirm="End it" danger
        act={async () => {
          const why = reason.trim();
          if (why === '') {
            throw new Error('Not ended: say why, so that whoever reads its trail knows.');
          }
          await post(`${path}/abort`, { reason: why });
          refresh();
          return 'Ended';
        }}>
        It gets no traffic from then on, and cannot be gone on with: a new canary begins at the first step.
        <label class="wide">
          reason
          <input type="text" maxLength={kMostReason} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
      </Confirm>
    </>
  );
}
