// Which program: one that the coordinator knows, or a file of bitcode or IR text from here.
import { useState } from 'preact/hooks';
import { ask } from '../../api/client';
import type { Explorer } from '../../api/shapes_explorer';
import { bytes, count, plural } from '../../format/number';
import { setQuery } from '../../route/router';
import { Failure, Panel } from '../../ui/panel';

const kMostBytes = 64 * 2 ** 20;

async function upload(file: File): Promise<string> {
  if (file.size > kMostBytes) {
    throw new Error(`${file.name} has ${bytes(file.size)}; a program has at most ${bytes(kMostBytes)}.`);
  }
  if (!globalThis.crypto.subtle) {
    throw new Error('A browser computes the hash that an upload needs only on https or this machine’s own address: upload by curl (README) and give the hash.');
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  await ask(`/v1/artifacts/${sha256}`, { method: 'PUT', body: file });
  return sha256;
}

export function ProgramPanel({ explorer, program, mayStep }: { explorer: Explorer; program: string | null; mayStep: boolean }) {
  const [hash, setHash] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const open = (sha256: string): void => setQuery({ program: sha256, path: null });
  return (
    <Panel title="Program">
      <div class="stack">
        <div class="filters">
          <label>
            known here
            <select value={program ?? ''} onChange={(event) => { if (event.currentTarget.value) { open(event.currentTarget.value); } }}>
              <option value="">choose</option>
              {explorer.programs.map((one) => (
                <option key={one.program} value={one.program}>{`${one.program.slice(0, 12)} (${one.size_bytes === null ? 'size unknown' : bytes(one.size_bytes)}, ${plural(one.episodes, 'episode')}, ${count(one.steps)} steps)`}</option>
              ))}
              {program && !explorer.programs.some((one) => one.program === program) ? <option value={program}>{program.slice(0, 12)}</option> : null}
            </select>
          </label>
          {mayStep ? (
            <label>
              bitcode or IR text
              <input type="file" accept=".bc,.ll" onChange={(event) => {
                const file = event.currentTarget.files?.[0];
                if (file) {
                  setError(null);
                  upload(file).then(open, setError);
                }
              }} />
            </label>
          ) : null}
          <form class="filters" onSubmit={(event) => {
            event.preventDefault();
            const trimmed = hash.trim().toLowerCase();
            if (/^[0-9a-f]{64}$/.test(trimmed)) {
              setError(null);
              open(trimmed);
            } else {
              setError(new Error('A program is named by the SHA-256 of its file: 64 of 0-9 a-f.'));
            }
          }}>
            <label>SHA-256 <input value={hash} spellcheck={false} autocomplete="off" onInput={(event) => setHash(event.currentTarget.value)} /></label>
            <button type="submit">Open</button>
          </form>
        </div>
        <Failure error={error} />
      </div>
    </Panel>
  );
}
