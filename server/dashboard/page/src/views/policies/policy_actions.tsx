// Promote a version, or roll back to it. Which of the two it is depends on what is in force.
import { post } from '../../api/client';
import { Confirm } from '../../ui/confirm';
import { useMay } from '../../ui/who';

interface PolicyActionsProps {
  target: string;
  version: number;
  promoted: boolean;
  inForce: number | null | undefined; // undefined: not known here, the server refuses what is no choice
  signed?: boolean;
  refresh: () => void;
}

export function PolicyActions({ target, version, promoted, inForce, signed, refresh }: PolicyActionsProps) {
  const may = useMay('administer');
  if (!may) {
    return null;
  }
  const path = `/v1/policies/${encodeURIComponent(target)}/versions/${version}`;
  // Versions above the one in force are promoted, those below it rolled back to.
  const older = typeof inForce === 'number' && version < inForce;
  const newer = typeof inForce === 'number' ? version > inForce : inForce === null;
  return (
    <>
      {!promoted && !older ? (
        <Confirm label={`Promote v${version}`} question={`Put version ${version} of ${target} in force?`} confirm="Promote"
          act={async () => { await post(`${path}/promote`); refresh(); return `v${version} is in force`; }}>
          Builds get it with their next <code>hone policy pull</code>.
        </Confirm>
      ) : null}
      {!promoted && !signed && !newer ? (
        <Confirm label={`Roll back to v${version}`} question={`Roll ${target} back to version ${version}?`} confirm="Roll back" danger
          act={async () => { await post(`${path}/rollback`); refresh(); return `the rules of v${version} are in force again`; }}>
          Its rules are published again under the next sequence number, since launchers refuse an older one, and put in force.
        </Confirm>
      ) : null}
    </>
  );
}
