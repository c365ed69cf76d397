// A target's policy: what was published, what each is worth, what differs, what is in force.
import { useMemo } from 'preact/hooks';
import { withQuery } from '../../api/client';
import { useLoad } from '../../api/load';
import type { PolicyDiff, PolicyPage } from '../../api/shapes_history';
import { count, plural } from '../../format/number';
import { pathTo, setQuery, usePlace } from '../../route/router';
import { Downloads } from '../../ui/downloads';
import { Failure, Head, Panel, Waiting } from '../../ui/panel';
import { RulesDiff } from '../job/rules_diff';
import { VersionsTable } from './versions_table';

export function PolicyView({ target }: { target: string }) {
  const { query } = usePlace();
  const path = `/v1/views/policies/${encodeURIComponent(target)}`;
  const list = useLoad<PolicyPage>(path);
  const versions = list.data?.versions ?? [];
  // Without a choice: what is in force against the newest, or the newest two.
  const newest = versions[0]?.version;
  const inForce = versions.find((version) => version.promoted)?.version;
  const to = Number(query.get('to')) || newest;
  const from = Number(query.get('from')) || (inForce !== undefined && inForce !== to ? inForce : versions.find((version) => version.version !== to)?.version);
  const both = from !== undefined && to !== undefined && from !== to;
  const diff = useLoad<PolicyPage>(both ? withQuery(path, { from, to }) : null);
  const choose = (name: string, value: number | undefined) => (
    <label>
      {name}
      <select value={String(value ?? '')} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        {versions.map((version) => <option key={version.version} value={String(version.version)}>{`v${version.version}${version.promoted ? ' (in force)' : ''}`}</option>)}
      </select>
    </label>
  );
  return (
    <>
      <Head title={<>Policies of {target}</>} sub="Deployment is known as far as promotion goes: builds pull what is in force, and nobody reports back.">
        <a href={pathTo('targets', target)}>History</a>
        <Downloads server={{ path: both ? withQuery(path, { from, to }) : path, tables: ['versions', 'diff'] }} name={`${target}-policies`} />
      </Head>
      {list.data ? (
        <>
          <Failure error={list.error} />
          <Panel title={`Versions (${count(versions.length)})`} flush><VersionsTable target={target} versions={versions} refresh={list.reload} /></Panel>
          {versions.length > 1 ? (
            <Panel title="What differs" actions={<>{choose('from', from)}{choose('to', to)}</>}>
              {both ? (diff.data?.diff ? <Difference diff={diff.data.diff} /> : <Waiting error={diff.error} />) : <p class="quiet">Choose two versions.</p>}
            </Panel>
          ) : null}
          {versions.map((version) => version.signature).some(Boolean) ? <Signatures page={list.data} /> : null}
        </>
      ) : <Waiting error={list.error} />}
    </>
  );
}

function Difference({ diff }: { diff: PolicyDiff }) {
  const before = useMemo(() => [...diff.removed, ...diff.changed.map((change) => change.from)], [diff]);
  const after = useMemo(() => [...diff.added, ...diff.changed.map((change) => change.to)], [diff]);
  return (
    <div class="stack">
      <p class="quiet">From v{diff.from} to v{diff.to}: {plural(diff.added.length, 'rule')} added, {count(diff.removed.length)} gone, {count(diff.changed.length)} changed, {count(diff.same)} the same.</p>
      <RulesDiff before={before} after={after} plain="default<O3>" />
    </div>
  );
}

function Signatures({ page }: { page: PolicyPage }) {
  return (
    <Panel title="Signatures">
      <dl class="facts">
        {page.versions.filter((version) => version.signature).map((version) => (
          <>
            <dt>v{version.version}</dt>
            <dd class="mono">{version.signature}</dd>
          </>
        ))}
      </dl>
      <p class="quiet">Made outside of the coordinator, which holds no key; `hone policy pull` checks them.</p>
    </Panel>
  );
}
