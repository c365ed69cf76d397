import { useMemo } from 'preact/hooks';
import type { PolicyVersion } from '../../api/shapes_history';
import { bytes, count } from '../../format/number';
import { moment } from '../../format/time';
import { pathTo } from '../../route/router';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { IntervalMark, reachOf, RewardText } from '../../ui/interval';
import { useMay } from '../../ui/who';
import { PolicyActions } from './policy_actions';

const kOrder: Order = { key: 'version', down: true };

export function VersionsTable({ target, versions, refresh }: { target: string; versions: PolicyVersion[]; refresh: () => void }) {
  const may = useMay('administer');
  const inForce = versions.find((version) => version.promoted)?.version ?? null;
  const columns = useMemo((): Column[] => {
    const at = (row: number): PolicyVersion => versions[row] as PolicyVersion;
    const reach = reachOf(versions.map((version) => version.reward));
    const all: Column[] = [
      { key: 'version', title: 'version', width: 100, sort: (row) => at(row).version, cell: (row) => <>v{at(row).version} {at(row).promoted ? <Badge word="in force" tone="gain" /> : null}</> },
      { key: 'reward', title: 'measured gain', width: 170, number: true, sort: (row) => at(row).reward?.value ?? null, cell: (row) => <RewardText reward={at(row).reward} /> },
      { key: 'mark', title: 'interval', width: 140, cell: (row) => <IntervalMark reward={at(row).reward} reach={reach} /> },
      { key: 'against', title: 'against', width: 76, cell: (row) => at(row).baseline ?? '–' },
      { key: 'signed', title: 'signature', width: 90, cell: (row) => <span title={at(row).signature ?? ''}><Badge word={at(row).signed ? 'signed' : 'unsigned'} tone={at(row).signed ? 'gain' : 'warn'} /></span> },
      { key: 'from', title: 'comes from', width: 236, cell: (row) => {
        const { campaign, candidate, created_by: by } = at(row);
        return campaign ? (
          <>
            <a href={pathTo('campaigns', campaign)}>campaign <span class="mono">{campaign.slice(0, 8)}</span></a>
            {candidate ? <>{', '}<a href={pathTo('candidates', candidate)}>candidate</a></> : null}
          </>
        ) : `published by ${by ?? 'nobody known'}`;
      } },
    ];
    if (may) {
      all.push({ key: 'act', title: 'put in force', width: 150, cell: (row) => <PolicyActions target={target} version={at(row).version} promoted={at(row).promoted} signed={at(row).signed} inForce={inForce} refresh={refresh} /> });
    }
    all.push(
      { key: 'sequence', title: 'sequence', about: 'launchers refuse an older one than the last seen', width: 92, number: true, sort: (row) => at(row).sequence, cell: (row) => count(at(row).sequence) },
      { key: 'generator', title: 'generator', width: 140, cell: (row) => at(row).generator ?? '–' },
      { key: 'worker', title: 'measured on', width: 110, cell: (row) => at(row).worker ?? '–' },
      { key: 'compiler', title: 'compiler', width: 180, cell: (row) => <span title={at(row).compiler ?? ''}>{at(row).compiler ?? '–'}</span> },
      { key: 'rules', title: 'rules', width: 60, number: true, sort: (row) => at(row).rules, cell: (row) => count(at(row).rules) },
      { key: 'bytes', title: 'size', width: 80, number: true, sort: (row) => at(row).bytes, cell: (row) => bytes(at(row).bytes) },
      { key: 'created', title: 'published', width: 142, sort: (row) => at(row).created_at, cell: (row) => moment(at(row).created_at) },
      { key: 'sha', title: 'SHA-256', width: 120, cell: (row) => <span class="mono" title={at(row).sha256}>{at(row).sha256.slice(0, 12)}</span> },
      { key: 'commit', title: 'commit', width: 120, cell: (row) => <span class="mono">{at(row).commit?.slice(0, 12) ?? '–'}</span> },
    );
    return all;
  }, [versions, may, target, refresh]);
  const [order, setOrder] = useOrder('order', columns, kOrder);
  return <DataTable caption={`Versions of the policy of ${target}`} columns={columns} rows={range(versions.length)} order={order} onOrder={setOrder} height={420} empty="No version was published: a campaign with a winner publishes one." />;
}
